// The page's side of the engine: a queue in front of one worker. A running job is cancelled by ending its worker,
// which is the only way that stops work at once; the next job gets the spare one, already loaded.
import { wrap, type Remote } from 'comlink';
import { signal } from '@preact/signals';
import type { Conversion, ConvertOptions, Detection, Failure, FormatInfo, EngineInput as Input, Inspection, LimitsProfile } from '../../js/src/types.ts';
import { failure, type Result } from './failure.ts';
import type { WorkerAPI } from './worker.ts';

/** Linear memory beyond which an idle worker is replaced: a wasm memory never shrinks. */
const RECYCLE_AT = 256 << 20;

interface Job {
  urgent: boolean;
  signal: AbortSignal | undefined;
  run: (api: Remote<WorkerAPI>) => Promise<Result<unknown>>;
  resolve: (value: unknown) => void;
  reject: (f: Failure) => void;
}

interface Hand {
  worker: Worker;
  api: Remote<WorkerAPI>;
  crashed: Promise<never>;
  started: Promise<void> | null;
}

/** Version of the engine once it runs; the failure when it cannot start. */
export const engineVersion = signal('');
export const engineFailure = signal<Failure | null>(null);
/** Linear memory that the engine holds now, and the most that any call left, in bytes; tests read them from the root element. */
export const engineMemory = signal(0);
export const enginePeak = signal(0);

const moduleURL = new URL(`engine.wasm${__ENGINE_QUERY__}`, document.baseURI).href;
const queue: Job[] = [];
let running: Job | null = null;
let module: WebAssembly.Module | null = null;
let hand: Hand | null = null;
let spare: Hand | null = null;

function hire(): Hand {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'bunzai' });
  const crashed = new Promise<never>((_, reject) => {
    const stop = (e: Event) => {
      e.preventDefault();
      const detail = e instanceof ErrorEvent && e.message ? ` (${e.message})` : '';
      reject(failure('internal', `The engine's worker stopped${detail}, most likely because the file needs more memory than the browser gives one tab. Nothing was saved. The next file gets a fresh engine.`));
    };
    worker.addEventListener('error', stop);
    worker.addEventListener('messageerror', stop);
  });
  crashed.catch(() => {});
  return { worker, api: wrap<WorkerAPI>(worker), crashed, started: null };
}

async function ready(): Promise<Hand> {
  hand ??= spare ?? hire();
  if (hand === spare) spare = null;
  const h = hand;
  h.started ??= Promise.race([h.api.start(moduleURL, module), h.crashed]).then((r) => {
    if (!r.ok) throw r.failure;
    module = r.value.module;
    engineVersion.value = r.value.version;
    engineFailure.value = null;
    engineMemory.value = r.memory;
  });
  await h.started;
  spare ??= hire();
  return h;
}

function dismiss(): void {
  hand?.worker.terminate();
  hand = null;
  // What the worker held is given back with it.
  engineMemory.value = 0;
}

async function pump(): Promise<void> {
  if (running) return;
  const next = queue.findIndex((j) => j.urgent);
  const job = queue.splice(next < 0 ? 0 : next, 1)[0];
  if (!job) return;
  running = job;
  const cancelled = new Promise<never>((_, reject) => {
    job.signal?.addEventListener('abort', () => reject(failure('cancelled', 'Cancelled.')), { once: true });
  });
  cancelled.catch(() => {});
  try {
    const h = await Promise.race([ready(), cancelled]);
    const r = await Promise.race([job.run(h.api), h.crashed, cancelled]);
    engineMemory.value = r.memory;
    enginePeak.value = Math.max(enginePeak.peek(), r.memory);
    // Also after a failure: a file that is refused late has filled the memory all the same.
    if ((!r.ok && r.dead) || r.memory > RECYCLE_AT) dismiss();
    if (r.ok) job.resolve(r.value);
    else job.reject(r.failure);
  } catch (e) {
    // Cancelled, crashed or not startable: this worker is of no more use.
    dismiss();
    job.reject(e as Failure);
    if (!engineVersion.value && (e as Failure).code !== 'cancelled') engineFailure.value = e as Failure;
  } finally {
    running = null;
    void pump();
  }
}

function enqueue<T>(run: (api: Remote<WorkerAPI>) => Promise<Result<T>>, options: CallOptions): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = options.signal;
    if (abort?.aborted) {
      reject(failure('cancelled', 'Cancelled.'));
      return;
    }
    const job: Job = { urgent: options.urgent ?? false, signal: abort, run, resolve: resolve as (v: unknown) => void, reject };
    abort?.addEventListener('abort', () => {
      const at = queue.indexOf(job);
      if (at >= 0) {
        queue.splice(at, 1);
        reject(failure('cancelled', 'Cancelled.'));
      }
    }, { once: true });
    queue.push(job);
    void pump();
  });
}

export interface CallOptions {
  signal?: AbortSignal;
  /** Goes before jobs that nobody waits for. */
  urgent?: boolean;
}

export function inspect(input: Input, options: { name: string; limits: LimitsProfile; password: string }, call: CallOptions = {}): Promise<Inspection> {
  return enqueue((api) => api.inspect(input, { ...options, assets: true }), call);
}

/** What every format says of a file, also when none claims it. */
export function detect(input: Input, options: { name: string; limits: LimitsProfile }, call: CallOptions = {}): Promise<Detection> {
  return enqueue((api) => api.detect(input, options), call);
}

export function convert(input: Input, options: ConvertOptions, call: CallOptions = {}): Promise<Conversion> {
  return enqueue((api) => api.convert(input, options), call);
}

/** Also starts the engine: called once at load, so that the first file finds it ready and the page works offline. */
export function formats(): Promise<FormatInfo[]> {
  return enqueue((api) => api.formats(), {});
}
