import { BunzaiError, badArgument } from './errors.js';
import type { CallOptions, Progress } from './types.js';

/** One call: whether it was cancelled, and who hears of its progress. */
export class Job {
  private reason: BunzaiError | null = null;
  private readonly stops = new Set<(e: BunzaiError) => void>();
  private readonly signal: AbortSignal | undefined;
  private readonly listener: ((p: Progress) => void) | undefined;
  private readonly aborted = (): void => this.cancel(cancelled(this.signal?.reason));
  private stage: Progress['stage'] | '' = '';
  private done = -1;
  /** True when somebody could stop the work or wants to hear of it. */
  readonly watched: boolean;

  constructor(options: CallOptions) {
    const { signal, onProgress } = options;
    if (signal !== undefined && (typeof signal !== 'object' || signal === null || typeof signal.addEventListener !== 'function' || typeof signal.aborted !== 'boolean')) {
      throw badArgument('the option "signal" must be an AbortSignal');
    }
    if (onProgress !== undefined && typeof onProgress !== 'function') throw badArgument('the option "onProgress" must be a function');
    this.signal = signal;
    this.listener = onProgress;
    this.watched = signal !== undefined || onProgress !== undefined;
    if (signal?.aborted) this.aborted();
    else signal?.addEventListener('abort', this.aborted);
  }

  /** Stops the call. */
  cancel(reason: BunzaiError): void {
    if (this.reason) return;
    this.reason = reason;
    for (const stop of this.stops) stop(reason);
    this.stops.clear();
  }

  /** The cancellation as an error, when there is one. */
  get stopped(): BunzaiError | null {
    return this.reason;
  }

  check(): void {
    if (this.reason) throw this.reason;
  }

  /** Runs when the call is stopped. Returns what takes the wish back. */
  onStop(stop: (e: BunzaiError) => void): () => void {
    if (this.reason) {
      stop(this.reason);
      return () => {};
    }
    this.stops.add(stop);
    return () => this.stops.delete(stop);
  }

  /** The promise, or the cancellation if that comes first. */
  race<T>(work: Promise<T>): Promise<T> {
    if (!this.watched) return work;
    return new Promise<T>((resolve, reject) => {
      const off = this.onStop(reject);
      work.then(resolve, reject).finally(off);
    });
  }

  progress(stage: Progress['stage'], done: number, total: number | null): void {
    if (!this.listener || this.reason) return;
    if (stage === this.stage && done <= this.done) return;
    this.stage = stage;
    this.done = done;
    try {
      this.listener({ stage, done, total });
    } catch (e) {
      this.cancel(new BunzaiError({ code: 'cancelled', message: `onProgress threw: ${e instanceof Error ? e.message : String(e)}` }, { cause: e }));
    }
  }

  /** The call is over: nothing is heard or told any more. */
  end(): void {
    this.signal?.removeEventListener('abort', this.aborted);
    this.stops.clear();
  }
}

function cancelled(reason: unknown): BunzaiError {
  const why = reason instanceof Error && reason.name !== 'AbortError' ? `: ${reason.message}` : typeof reason === 'string' && reason !== '' ? `: ${reason}` : '';
  return new BunzaiError({ code: 'cancelled', message: `the call was cancelled${why}` }, { cause: reason });
}
