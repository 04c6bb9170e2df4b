import type { LibraryMethod } from './engines.js';
import { BunzaiError, asBunzaiError } from './errors.js';
import { goVersion, loadGo, type GoProgram } from './wasm_exec.js';

/** The engine as the Go program registers it; `go` names the toolchain that compiled it. Calls reject with plain errors. */
export interface RawEngine extends Record<LibraryMethod, (input: unknown, options: object) => Promise<unknown>> {
  go: string;
  version: string;
  detect(input: unknown, options: object): Promise<unknown>;
  inspect(input: unknown, options: object): Promise<unknown>;
  convert(input: unknown, options: object): Promise<unknown>;
  formats(): Promise<unknown>;
}

/** Linear memory never shrinks, so an idle instance that grew beyond this is replaced by a fresh one. */
const IDLE_MEMORY = 160 << 20;

/** One running Go program. When it dies, every open call rejects and `dead` is set; start a new one then. */
export class Instance {
  dead: BunzaiError | null = null;
  private readonly open = new Set<(e: BunzaiError) => void>();
  private readonly engine: RawEngine;
  private readonly memory: WebAssembly.Memory;

  private constructor(engine: RawEngine, memory: WebAssembly.Memory) {
    this.engine = engine;
    this.memory = memory;
  }

  /** Starts the compiled engine. It does no work of its own until the first call. */
  static async start(module: WebAssembly.Module): Promise<Instance> {
    let engine: RawEngine | undefined;
    let self: Instance | undefined;
    let early: unknown;
    let words = '';
    const stop = (e: unknown): void => {
      early ??= e;
      // The dead program's timers would find nobody to wake, and its loader would try for ever.
      for (const t of go._scheduledTimeouts.values()) clearTimeout(t as Parameters<typeof clearTimeout>[0]);
      go._scheduledTimeouts.clear();
      self?.kill(e, words);
    };
    const world = realm({ __bunzaiReady: (e: RawEngine) => { engine = e; } });
    const go: GoProgram = new (loadGo(world))();
    // What the program prints is its last words: a stack trace belongs into the error, not into the page's console.
    const decoder = new TextDecoder();
    (world.fs as { writeSync: (fd: number, b: Uint8Array) => number }).writeSync = (_, b) => {
      if (words.length < 16_384) words += decoder.decode(b);
      return b.length;
    };
    go.exit = (code) => stop(new Error(`the Go program ended with code ${code}`));
    // A trap while the program continues after an awaited read must not leave calls open for ever.
    const resume = go._resume;
    go._resume = function (this: GoProgram) {
      if (self?.dead) return;
      try {
        resume.call(this);
      } catch (e) {
        stop(e);
      }
    };
    let memory: WebAssembly.Memory;
    try {
      const instance = await WebAssembly.instantiate(module, go.importObject as WebAssembly.Imports);
      memory = instance.exports.mem as WebAssembly.Memory;
      go.run(instance).catch(stop);
    } catch (e) {
      throw new BunzaiError({ code: 'internal', message: `the engine did not start: ${asBunzaiError(e).message}` }, { cause: e });
    }
    if (!engine) {
      // The program runs up to its first wait inside run(), so this is a module that is not the engine, or one that failed.
      await Promise.resolve();
      throw new BunzaiError({ code: 'internal', message: `the engine did not start: ${early === undefined ? 'the module does not register an engine' : asBunzaiError(early).message}` }, { cause: early });
    }
    if (engine.go !== goVersion) {
      throw new BunzaiError({
        code: 'internal',
        message: `the engine was compiled by ${engine.go} and its loader script is of ${goVersion}; both must come from the same build`,
      });
    }
    self = new Instance(engine, memory);
    return self;
  }

  get version(): string {
    return this.engine.version;
  }

  /** Bytes of linear memory. */
  get memoryBytes(): number {
    return this.memory.buffer.byteLength;
  }

  /** True when the instance is worth replacing once it is idle. */
  get worn(): boolean {
    return this.memoryBytes > IDLE_MEMORY;
  }

  /** Calls the engine. The promise always settles, also when the program dies under it. */
  call(run: (engine: RawEngine) => Promise<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.dead) {
        reject(this.dead);
        return;
      }
      this.open.add(reject);
      let result: Promise<unknown> | undefined;
      try {
        result = run(this.engine);
      } catch (e) {
        this.kill(e, '');
        return;
      }
      // A program that died inside the call answered nothing, and kill has rejected already.
      result?.then(
        (v) => {
          this.open.delete(reject);
          resolve(v);
        },
        (e: unknown) => {
          this.open.delete(reject);
          reject(asBunzaiError(e));
        },
      );
    });
  }

  private kill(cause: unknown, words: string): void {
    if (this.dead) return;
    const first = words.split('\n', 1)[0]!.trim();
    const why = /out of memory|arena already initialized/.test(words) ? 'it ran out of memory' : first || asBunzaiError(cause).message;
    this.dead = new BunzaiError(
      { code: 'internal', message: `the engine stopped while it worked on this file (${why}); the next call starts a fresh one` },
      { cause: words ? new Error(words, { cause }) : cause },
    );
    for (const reject of this.open) reject(this.dead);
    this.open.clear();
  }
}

/** The engine's global object: only what it needs, so that neither side sees the other's names. */
function realm(extra: Record<string, unknown>): Record<string, unknown> {
  const names = [
    'Object', 'Array', 'Uint8Array', 'ArrayBuffer', 'SharedArrayBuffer', 'Error', 'TypeError', 'Promise', 'JSON', 'Reflect', 'Date',
    'Blob', 'FileReaderSync', 'crypto', 'performance', 'TextEncoder', 'TextDecoder',
  ];
  const outer = globalThis as unknown as Record<string, unknown>;
  const world: Record<string, unknown> = { ...extra };
  for (const n of names) world[n] = outer[n];
  // Where storage is forbidden, asking for it throws; only a library asks.
  Object.defineProperty(world, 'indexedDB', { get: () => outer.indexedDB });
  return world;
}
