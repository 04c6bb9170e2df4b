// The worker: one engine, one call at a time, every answer a plain Result.
import { expose } from 'comlink';
import { start, type Started } from '#engine';
import type { CommonOptions, Conversion, ConvertOptions, Detection, FormatInfo, EngineInput as Input, Inspection } from '../../js/src/types.ts';
import { asFailure, failure, type Result } from './failure.ts';

let started: Promise<Started> | null = null;

async function call<T>(work: (s: Started) => Promise<T>): Promise<Result<T>> {
  let s: Started | null = null;
  let dead = false;
  try {
    if (!started) throw failure('internal', 'The engine has not been started.');
    s = await started;
    const ended = s.ended.then(() => {
      dead = true;
      throw failure('internal', 'The engine stopped in the middle of this file, most likely because the file needs more memory than the browser gives one tab. Nothing was saved. The next file gets a fresh engine.');
    });
    const value = await Promise.race([work(s), ended]);
    return { ok: true, value, memory: s.memory() };
  } catch (e) {
    return { ok: false, failure: asFailure(e), memory: s?.memory() ?? 0, dead };
  }
}

const api = {
  /** Answers with the compiled module, so that the next worker need not load it again. */
  async start(url: string, module: WebAssembly.Module | null): Promise<Result<{ version: string; module: WebAssembly.Module | null }>> {
    started = start(url, module);
    const r = await call(async (s) => ({ version: s.engine.version, module: s.module }));
    return r.ok ? r : { ...r, dead: true };
  },
  detect: (input: Input, options: CommonOptions): Promise<Result<Detection>> => call((s) => s.engine.detect(input, options)),
  inspect: (input: Input, options: CommonOptions & { assets?: boolean }): Promise<Result<Inspection>> => call((s) => s.engine.inspect(input, options)),
  convert: (input: Input, options: ConvertOptions): Promise<Result<Conversion>> => call((s) => s.engine.convert(input, options)),
  formats: (): Promise<Result<FormatInfo[]>> => call((s) => s.engine.formats()),
};

export type WorkerAPI = typeof api;

expose(api);
