import { badArgument } from './errors.js';
import { forEngine, type Opened } from './input.js';
import { Instance } from './instance.js';
import type { Job } from './job.js';
import { compile, type CompiledModule, type ModuleSource } from './module.js';
import { platform } from './platform.js';

export type LibraryMethod =
  | 'libraryOpen' | 'libraryImport' | 'libraryList' | 'libraryShow' | 'libraryExport' | 'libraryAttach' | 'libraryDetach' | 'libraryDelete';
export type Method = 'detect' | 'inspect' | 'convert' | 'formats' | LibraryMethod;

/** Who does the work: the engine in this thread, or a pool. */
export interface Executor {
  /** Calls the engine. `from` is null for what takes no file. Rejects with BunzaiError. */
  run(method: Method, from: Opened | null, options: Record<string, unknown>, job: Job): Promise<unknown>;
}

type Wasm = ModuleSource | Promise<ModuleSource> | (() => ModuleSource | Promise<ModuleSource>);

/** Options of `init`. */
export interface InitOptions {
  /** Where the WebAssembly module comes from. Default: `engine.wasm` of this package. */
  wasm?: Wasm;
}

/** Reads the options of `init`, and of a pool. */
export function wasmOf(wasm: Wasm): () => ModuleSource | Promise<ModuleSource> {
  return typeof wasm === 'function' ? (wasm as () => ModuleSource | Promise<ModuleSource>) : () => wasm;
}

/**
 * The engine in this thread. One instance serves one call at a time; a call waits for its turn, except where the
 * platform wants its calls independent, which then get instances of their own. An instance that died or grew large is
 * not used again.
 */
export class Engines implements Executor {
  private chosen: (() => ModuleSource | Promise<ModuleSource>) | null = null;
  private compiled: Promise<CompiledModule> | null = null;
  private idle: Instance | null = null;
  private latest: Instance | null = null;
  private turn: Promise<void> = Promise.resolve();

  async init(options: InitOptions = {}): Promise<void> {
    if (typeof options !== 'object' || options === null) throw badArgument('init takes an object of options');
    for (const key of Object.keys(options)) {
      if (key !== 'wasm') throw badArgument(`init has no option ${JSON.stringify(key)}; it has: wasm`);
    }
    if (options.wasm !== undefined) {
      this.chosen = wasmOf(options.wasm);
      this.compiled = this.idle = this.latest = null;
    }
    if (this.idle) return;
    const of = this.module();
    this.keep(await Instance.start(await of as WebAssembly.Module), of);
  }

  /** Bytes of memory that the engine holds; 0 when it is not loaded. */
  get memory(): number {
    return this.latest && !this.latest.dead ? this.latest.memoryBytes : 0;
  }

  async run(method: Method, from: Opened | null, options: Record<string, unknown>, job: Job): Promise<unknown> {
    job.check();
    if (platform.independent) return this.work(method, from, options, job);
    const before = this.turn;
    let give!: () => void;
    this.turn = new Promise((r) => { give = r; });
    const mine = before.then(() => this.work(method, from, options, job));
    // The turn ends when the engine is done, which after a cancellation may be later than the call.
    mine.then(give, give);
    return job.race(mine);
  }

  private async work(method: Method, from: Opened | null, options: Record<string, unknown>, job: Job): Promise<unknown> {
    job.check();
    const fresh = !this.idle;
    if (fresh) job.progress('load', 0, 1);
    const of = this.module();
    const i = await this.take(of);
    if (fresh) job.progress('load', 1, 1);
    try {
      job.check();
      return await i.call((e) => (method === 'formats' ? e.formats() : e[method](from && forEngine(from, job), options)));
    } catch (e) {
      throw job.stopped ?? e;
    } finally {
      this.keep(i, of);
    }
  }

  private async take(of: Promise<CompiledModule>): Promise<Instance> {
    const i = this.idle;
    this.idle = null;
    if (i && !i.dead) return i;
    return (this.latest = await Instance.start(await of as WebAssembly.Module));
  }

  private keep(i: Instance, of: Promise<CompiledModule>): void {
    if (i.dead || i.worn || this.idle || of !== this.compiled) return;
    this.idle = this.latest = i;
  }

  /** The compiled module. A failed load is tried again at the next call. */
  private module(): Promise<CompiledModule> {
    if (this.compiled) return this.compiled;
    const mine = Promise.resolve().then(this.chosen ?? platform.wasm).then(compile);
    this.compiled = mine;
    mine.catch(() => {
      if (this.compiled === mine) this.compiled = null;
    });
    return mine;
  }
}
