import { api } from './api.js';
import type { Executor, Method } from './engines.js';
import { wasmOf, type InitOptions } from './engines.js';
import { BunzaiError, asBunzaiError, badArgument, type FailureInit } from './errors.js';
import type { Opened } from './input.js';
import type { Job } from './job.js';
import { compile } from './module.js';
import type { Bunzai, Progress } from './types.js';

/** One thread, as the platform makes it. */
export interface Thread {
  post(message: ToThread): void;
  /** Stops the thread at once. */
  end(): void;
  /** In Node: an idle thread keeps the process from ending only while it is held. */
  hold(on: boolean): void;
}

/** What a thread tells: an answer, or that it died. */
export interface Hearing {
  message(m: FromThread): void;
  died(e: unknown): void;
}

export interface ToThread {
  id: number;
  method: Method;
  options: Record<string, unknown>;
  input: null | { bytes: Uint8Array } | { blob: Blob } | { fd: number; size: number };
  watched: boolean;
  /** The compiled engine; with the first message only. */
  module?: object;
}

export type FromThread =
  | { id: number; progress: Progress }
  | { id: number; value: unknown }
  | { id: number; error: FailureInit };

/** Options of `createPool`. */
export interface PoolOptions extends InitOptions {
  /** How many threads at most; they start when they are needed. Default: one for each core, at most 4. */
  size?: number;
  /**
   * Makes the Web Worker, where the default (`new Worker(new URL('./worker-script.js', import.meta.url), { type:
   * 'module' })`) does not fit the bundler. Its script is `bunzai/worker-script`.
   */
  worker?: () => unknown;
}

/** Threads that each run one call at a time, with the same calls as the package. */
export interface Pool extends Bunzai {
  /** Threads at most. */
  readonly size: number;
  /** Stops the threads. Open calls are cancelled; the pool takes no more. */
  close(): Promise<void>;
}

interface Task {
  message: ToThread;
  job: Job;
  resolve(v: unknown): void;
  reject(e: BunzaiError): void;
}

/** Builds a pool over the platform's threads. */
export function pool(options: PoolOptions, platform: { cores: number; wasm: InitOptions['wasm']; start(hearing: Hearing, worker: (() => unknown) | undefined): Thread }): Pool {
  if (typeof options !== 'object' || options === null) throw badArgument('createPool takes an object of options');
  for (const key of Object.keys(options)) {
    if (!['size', 'wasm', 'worker'].includes(key)) throw badArgument(`createPool has no option ${JSON.stringify(key)}; it has: size, wasm, worker`);
  }
  const size = options.size ?? Math.max(1, Math.min(4, platform.cores));
  if (!Number.isInteger(size) || size < 1) throw badArgument(`the option "size" must be a whole number of at least 1; this is ${String(options.size)}`);
  const threads = new Threads(size, wasmOf(options.wasm ?? platform.wasm!), (h) => platform.start(h, options.worker));
  return { ...api(threads), size, close: () => threads.close() };
}

class Threads implements Executor {
  private readonly waiting: Task[] = [];
  private readonly idle: Slot[] = [];
  private readonly busy = new Set<Slot>();
  private module: Promise<object> | null = null;
  private closed = false;
  private ids = 0;

  constructor(private readonly size: number, private readonly wasm: ReturnType<typeof wasmOf>, private readonly start: (h: Hearing) => Thread) {}

  async run(method: Method, from: Opened | null, options: Record<string, unknown>, job: Job): Promise<unknown> {
    job.check();
    const mine = (this.module ??= Promise.resolve().then(this.wasm).then(compile));
    let module: object;
    try {
      module = await job.race(mine);
    } catch (e) {
      if (!job.stopped && this.module === mine) this.module = null;
      throw e;
    }
    const input = !from ? null : from.bytes ? { bytes: from.bytes } : from.blob ? { blob: from.blob } : { fd: from.file!.fd, size: from.size };
    return new Promise((resolve, reject) => {
      const task: Task = { message: { id: ++this.ids, method, options, input, watched: job.watched, module }, job, resolve, reject };
      this.waiting.push(task);
      job.onStop((e) => {
        const at = this.waiting.indexOf(task);
        if (at < 0) return;
        this.waiting.splice(at, 1);
        reject(e);
      });
      this.next();
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const slot of [...this.idle, ...this.busy]) slot.fail(gone());
    for (const t of this.waiting.splice(0)) t.reject(gone());
  }

  private next(): void {
    if (this.closed) {
      for (const t of this.waiting.splice(0)) t.reject(gone());
      return;
    }
    while (this.waiting.length > 0) {
      let slot = this.idle.pop();
      if (!slot) {
        if (this.busy.size >= this.size) return;
        try {
          slot = new Slot(this.start, (s) => this.over(s));
        } catch (e) {
          this.waiting.shift()!.reject(new BunzaiError({ code: 'internal', message: `a thread could not be started: ${asBunzaiError(e).message}` }, { cause: e }));
          continue;
        }
      }
      this.busy.add(slot);
      slot.take(this.waiting.shift()!);
    }
  }

  /** A slot has ended its task, or itself. */
  private over(slot: Slot): void {
    this.busy.delete(slot);
    const at = this.idle.indexOf(slot);
    if (slot.dead) {
      if (at >= 0) this.idle.splice(at, 1);
    } else if (at < 0) {
      this.idle.push(slot);
    }
    this.next();
  }
}

const gone = (): BunzaiError => new BunzaiError({ code: 'cancelled', message: 'the pool was closed' });

/** One thread and the task it works on. */
class Slot {
  dead = false;
  private readonly thread: Thread;
  private task: Task | null = null;
  private off: () => void = () => {};
  private knowsModule = false;

  constructor(start: (h: Hearing) => Thread, private readonly over: (s: Slot) => void) {
    this.thread = start({
      message: (m) => this.hear(m),
      died: (e) => this.fail(new BunzaiError({ code: 'internal', message: `the thread stopped while it worked on this file (${asBunzaiError(e).message}); the next call starts a fresh one` }, { cause: e })),
    });
  }

  take(task: Task): void {
    this.task = task;
    this.thread.hold(true);
    // The engine hears nothing while it works, so that stopping a call means stopping its thread.
    this.off = task.job.onStop((e) => this.fail(e));
    if (this.dead) return;
    const { module, ...rest } = task.message;
    try {
      this.thread.post(this.knowsModule ? rest : { ...rest, ...(module && { module }) });
      this.knowsModule = true;
    } catch (e) {
      this.settle((t) => t.reject(new BunzaiError({ code: 'bad-argument', message: `the call cannot be sent to another thread: ${asBunzaiError(e).message}` }, { cause: e })));
    }
  }

  /** Ends the thread, and its task with this error. */
  fail(e: BunzaiError): void {
    if (this.dead) return;
    this.dead = true;
    this.thread.end();
    this.settle((t) => t.reject(e));
  }

  private hear(m: FromThread): void {
    const { task } = this;
    if (!task || m.id !== task.message.id) return;
    if ('progress' in m) task.job.progress(m.progress.stage, m.progress.done, m.progress.total);
    else this.settle((t) => ('error' in m ? t.reject(new BunzaiError(m.error)) : t.resolve(m.value)));
  }

  private settle(how: (t: Task) => void): void {
    const { task } = this;
    this.task = null;
    this.off();
    if (!this.dead) this.thread.hold(false);
    if (task) how(task);
    this.over(this);
  }
}
