import type { Body } from './body.js';
import type { Env } from './env.js';
import module from './engine.wasm';
import { loadGo, type GoProgram } from './go.js';

/** What the Go program (wasm/worker) registers. Every call returns at once; ">" and an id from `admit` means: read the body. */
interface Exports {
  maxBody: number;
  admit(...request: RequestArgs): string;
  finish(...args: [...RequestArgs, size: number, stopped: '' | 'large' | 'broken']): string;
  busy(...request: RequestArgs): string;
  broke(...args: [...RequestArgs, memory: number]): string;
  convert(name: string, query: string, size: number, memory: number): string;
}

/** Method, path, query, headers, declared length (-1: unknown), id ("" until `admit` gives it one), refused by the rate limiter. */
export type RequestArgs = [method: string, path: string, query: string, headers: Headers, length: number, id: string, limited: boolean];

/** An answer: everything but the body as Go wrote it, and the pieces of the body. */
export interface Answer {
  status: number;
  headers: [string, string][];
  body: boolean;
  pieces: Uint8Array[];
}

/** A conversion without a request around it. */
export interface Converted {
  problem: { code: string; detail: string; where: string; status: number; limit: unknown } | null;
  result: { fileName: string; mediaType: string; container: string; size: number; report: unknown } | null;
  pieces: Uint8Array[];
}

/** Thrown when the program died under a call. The next call gets a fresh one. */
export class Died extends Error {
  /** Bytes that the program may have, when it died for want of more; else 0. */
  memory = 0;
}

/** What one call said (null: read the body of the request with this id) and emitted. */
interface Said<T> {
  said: T | null;
  pieces: Uint8Array[];
  id: string;
}

/** Linear memory never shrinks: an instance that grew beyond this is replaced after the call. */
const WORN = 48 << 20;

/** What Go says when memory could not grow; the last is how its heap ends when the refused block began in a known arena. */
const STARVED = /out of memory|cannot allocate|arena already initialized/;

/** One running Go program. */
class Instance {
  readonly go: Exports;
  broken = false;
  private starved = false;
  private readonly memory: WebAssembly.Memory;
  private body: Body | null = null;
  private pieces: Uint8Array[] = [];

  constructor(env: Env) {
    let go: Exports | undefined;
    const log = (line: string): void => console.log(line);
    const program: GoProgram = new (loadGo(realm({
      __bunzaiReady: (e: Exports) => { go = e; },
      __bunzaiLog: log,
      __bunzaiLastWords: (words: string) => { this.starved ||= STARVED.test(words); },
      __bunzaiSettings: { origins: env.ORIGINS ?? '', tokens: env.TOKENS ?? '', log: env.LOG === 'on', seed: crypto.randomUUID().slice(0, 8) },
    })))();
    program.exit = (code) => {
      this.broken = true;
      if (env.LOG === 'on') log(JSON.stringify({ msg: 'instance ended', code }));
    };
    const instance = new WebAssembly.Instance(module, {
      ...program.importObject,
      bunzai: {
        copyBody: (off: bigint, dst: number, n: number): number => {
          if (!this.body) return 0;
          try {
            for (const part of this.body.ranges(Number(off), n)) {
              new Uint8Array(this.memory.buffer, dst, part.length).set(part);
              dst += part.length;
            }
            return 1;
          } catch {
            return 0;
          }
        },
        emitOwn: (src: number, n: number): void => {
          this.pieces.push(new Uint8Array(this.memory.buffer, src, n).slice());
        },
        emitRange: (off: bigint, n: bigint): void => {
          for (const part of this.body?.ranges(Number(off), Number(n)) ?? []) this.pieces.push(part);
        },
      },
    });
    this.memory = instance.exports.mem as WebAssembly.Memory;
    // Runs up to the program's wait for calls. The promise only ends with the program.
    program.run(instance).catch(() => { this.broken = true; });
    // That promise belongs to the request that started the program, which is over when another one sees it end.
    program._resolveExitPromise = () => undefined;
    if (!go) throw new Died('the program did not start');
    this.go = go;
  }

  get memoryBytes(): number {
    return this.memory.buffer.byteLength;
  }

  /** Runs one call to its end and returns what it said and emitted. */
  call<T extends object>(body: Body | null, run: (go: Exports) => string): Said<T> {
    this.body = body;
    this.pieces = [];
    try {
      const text: unknown = run(this.go);
      if (this.broken || typeof text !== 'string') throw new Died('the program ended');
      if (text === '') throw new Died('no answer');
      const said = text.startsWith('>') ? null : (JSON.parse(text) as T & { broken?: boolean });
      if (said?.broken) this.broken = true;
      return { said, pieces: this.pieces, id: said ? '' : text.slice(1) };
    } catch (e) {
      this.broken = true;
      const died = e instanceof Died ? e : new Died(String(e));
      if (this.starved) died.memory = this.memoryBytes;
      throw died;
    } finally {
      this.body = null;
      this.pieces = [];
    }
  }
}

/** Keeps one instance, and replaces it when it has failed or grown. */
export class Engine {
  private instance: Instance | null = null;
  /** How many instances were started, for tests and logs. */
  started = 0;

  constructor(private readonly env: Env) {}

  private get live(): Instance {
    if (!this.instance) {
      this.instance = new Instance(this.env);
      this.started++;
    }
    return this.instance;
  }

  get maxBody(): number {
    return this.live.go.maxBody;
  }

  get memoryBytes(): number {
    return this.instance?.memoryBytes ?? 0;
  }

  /** True when there is no instance and the next call would wait for one to start. */
  get cold(): boolean {
    return this.instance === null;
  }

  /** Starts an instance ahead of the next call. */
  warm(): void {
    void this.live;
  }

  private call<T extends object>(body: Body | null, run: (go: Exports) => string): Said<T> {
    const instance = this.live;
    try {
      return instance.call<T>(body, run);
    } finally {
      if (instance.broken || instance.memoryBytes > WORN) this.instance = null;
    }
  }

  private answer(body: Body | null, request: RequestArgs, run: (go: Exports) => string): Answer | null {
    try {
      const { said, pieces, id } = this.call<Answer>(body, run);
      if (!said) request[5] = id;
      return said && { ...said, pieces };
    } catch (e) {
      // The program died, out of memory most likely. A fresh one says so.
      const memory = e instanceof Died ? e.memory : 0;
      const { said, pieces } = this.call<Answer>(null, (go) => go.broke(...request, memory));
      return said && { ...said, pieces };
    }
  }

  /** The answer to a request before its body is read, or null when the body is to be read. */
  admit(request: RequestArgs): Answer | null {
    return this.answer(null, request, (go) => go.admit(...request));
  }

  /** The answer to an admitted request. */
  finish(request: RequestArgs, body: Body | null, stopped: '' | 'large' | 'broken' = ''): Answer {
    const a = this.answer(body, request, (go) => go.finish(...request, body?.size ?? 0, stopped));
    if (!a) throw new Died('no answer');
    return a;
  }

  /** The answer to a request for which there is no room now. */
  busy(request: RequestArgs): Answer {
    const a = this.answer(null, request, (go) => go.busy(...request));
    if (!a) throw new Died('no answer');
    return a;
  }

  /** Converts bytes without a request around them. Throws `Died` when the program died of them otherwise than of too little memory. */
  convert(name: string, query: string, body: Body): Converted {
    let memory = 0;
    const run = (): Said<Converted> => this.call<Converted>(body, (go) => go.convert(name, query, body.size, memory));
    let all: Said<Converted>;
    try {
      all = run();
    } catch (e) {
      if (!(e instanceof Died) || e.memory === 0) throw e;
      memory = e.memory;
      all = run();
    }
    const { said, pieces } = all;
    if (!said) throw new Died('no answer');
    return { ...said, pieces };
  }
}

/** The program's global object: only what it needs. */
function realm(extra: Record<string, unknown>): Record<string, unknown> {
  return { ...extra, Object, Array, Uint8Array, Error, TypeError, Promise, JSON, Reflect, Date, TextEncoder, TextDecoder, crypto, performance };
}
