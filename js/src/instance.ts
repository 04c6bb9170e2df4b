import { BunzaiError, asBunzaiError } from './errors.js';
import type { Engine } from './types.js';
import { goVersion, loadGo, type GoProgram } from './wasm_exec.js';

/** The engine as the Go program registers it; `go` names the toolchain that compiled it. */
type RawEngine = Engine & { go: string };

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
    const stop = (e: unknown): void => {
      early ??= e;
      self?.kill(e);
    };
    const world = realm({ __bunzaiReady: (e: RawEngine) => { engine = e; } });
    const go: GoProgram = new (loadGo(world))();
    go.exit = (code) => stop(new Error(`the Go program ended with code ${code}`));
    // A trap while the program continues after an awaited read must not leave calls open for ever.
    const resume = go._resume;
    go._resume = function (this: GoProgram) {
      try {
        resume.call(this);
      } catch (e) {
        stop(e);
        throw e;
      }
    };
    let memory: WebAssembly.Memory;
    try {
      const instance = await WebAssembly.instantiate(module, go.importObject);
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

  /** True when no call is open and the instance is worth replacing. */
  get worn(): boolean {
    return this.open.size === 0 && this.memoryBytes > IDLE_MEMORY;
  }

  /** Calls the engine. The promise always settles, also when the program dies under it. */
  call<T>(run: (engine: Engine) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.dead) {
        reject(this.dead);
        return;
      }
      this.open.add(reject);
      let result: Promise<T>;
      try {
        result = run(this.engine);
      } catch (e) {
        this.kill(e);
        return;
      }
      result.then(
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

  private kill(cause: unknown): void {
    if (this.dead) return;
    this.dead = new BunzaiError(
      { code: 'internal', message: `the engine stopped while it worked on this file (${asBunzaiError(cause).message}); the next call starts a fresh one` },
      { cause },
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
  return world;
}
