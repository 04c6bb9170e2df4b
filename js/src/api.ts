import { asBunzaiError, badArgument } from './errors.js';
import type { Executor, Method } from './engines.js';
import { open, type Opened } from './input.js';
import { Job } from './job.js';
import { openLibrary } from './library.js';
import { assemble, type Part } from './output.js';
import { platform } from './platform.js';
import type { Bunzai, CallOptions, Conversion, Convert, Detection, FormatInfo, Inspection, LimitsProfile, OutputForm } from './types.js';

const CALL = ['signal', 'onProgress'];
const READ = ['name', 'limits', 'password', ...CALL];
const BOUNDED = ['limits', ...CALL];
const KNOWN: Record<Method, readonly string[]> = {
  detect: READ,
  inspect: [...READ, 'assets'],
  convert: ['to', 'container', 'spec', 'allowLoss', 'dryRun', 'output', ...READ],
  formats: CALL,
  libraryOpen: ['name', ...CALL],
  libraryImport: ['overwrite', ...READ],
  libraryList: ['kind', ...CALL],
  libraryShow: ['assets', ...BOUNDED],
  libraryExport: ['to', 'container', 'spec', 'allowLoss', 'dryRun', 'output', ...READ],
  libraryAttach: ['at', ...BOUNDED],
  libraryDetach: BOUNDED,
  libraryDelete: CALL,
};

/** The calls by the names that people know. */
const nameOf = (method: Method): string => (method === 'libraryOpen' ? 'openLibrary' : method.replace(/^library(.)/, (_, c: string) => c.toLowerCase()));

/** A call's options: those of JavaScript's side, and those that the engine gets and checks. */
interface Options {
  job: Job;
  engine: Record<string, unknown>;
}

function optionsOf(method: Method, given: unknown): Options {
  if (given !== undefined && given !== null && typeof given !== 'object') throw badArgument(`the options must be an object, and this is a ${typeof given}`);
  const engine: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given ?? {})) {
    if (!KNOWN[method].includes(key)) throw badArgument(`there is no option ${JSON.stringify(key)}; ${nameOf(method)} has: ${KNOWN[method].join(', ')}`);
    if (value !== undefined) engine[key] = value;
  }
  const job = new Job(engine as CallOptions);
  delete engine.signal;
  delete engine.onProgress;
  if (KNOWN[method].includes('limits') && engine.limits === undefined && platform.limits) engine.limits = platform.limits;
  return { job, engine };
}

/** Opens the input, does the work, and lets the input go unless `work` keeps it. */
export async function call<T>(
  run: Executor, method: Method, input: unknown, given: unknown,
  work: (from: Opened, o: Options, keep: () => void) => Promise<T>,
): Promise<T> {
  let job: Job | undefined;
  let from: Opened | undefined;
  let keep = false;
  try {
    const o = optionsOf(method, given);
    job = o.job;
    job.check();
    from = await open(input, o.engine.limits as LimitsProfile | undefined, job);
    if (o.engine.name === undefined && from.name !== undefined) o.engine.name = from.name;
    return await work(from, o, () => { keep = true; });
  } catch (e) {
    keep = false;
    throw asBunzaiError(e);
  } finally {
    job?.end();
    if (from && !keep) await from.close();
  }
}

/** A call that takes no file. */
export async function ask<T>(run: Executor, method: Method, given: unknown, more: (o: Record<string, unknown>) => Record<string, unknown>): Promise<T> {
  let job: Job | undefined;
  try {
    const o = optionsOf(method, given);
    job = o.job;
    job.check();
    return await run.run(method, null, more(o.engine), job) as T;
  } catch (e) {
    throw asBunzaiError(e);
  } finally {
    job?.end();
  }
}

/** The calls of the package, done by `run`. */
export function api(run: Executor): Bunzai {
  return {
    detect: (input, options) => call(run, 'detect', input, options, (from, o) => run.run('detect', from, o.engine, o.job) as Promise<Detection>),

    inspect: (input, options) => call(run, 'inspect', input, options, (from, o) => {
      o.engine.assets ??= from.blob !== undefined;
      return run.run('inspect', from, o.engine, o.job) as Promise<Inspection>;
    }),

    convert: ((input, options) => call(run, 'convert', input, options, async (from, o, keep) => {
      const form = (o.engine.output ?? (input instanceof Blob ? 'blob' : 'bytes')) as OutputForm;
      if (!['bytes', 'blob', 'stream'].includes(form)) throw badArgument(`the option "output" must be one of: bytes, blob, stream; this is ${JSON.stringify(form)}`);
      // Bytes to bytes is the engine's own work; everything else it gives in pieces.
      const direct = form === 'bytes' && from.bytes !== undefined;
      o.engine.output = direct ? 'bytes' : 'parts';
      const { parts, ...c } = await run.run('convert', from, o.engine, o.job) as Conversion & { parts?: Part[] };
      if (parts) {
        c.data = await assemble(parts, c.size, c.mediaType, from, form, o.job) as Conversion['data'];
        if (form === 'stream') keep();
      } else if (c.data) {
        o.job.progress('write', c.size, c.size);
      }
      o.job.check();
      return c;
    })) as Convert,

    formats: (options) => ask<FormatInfo[]>(run, 'formats', options, () => ({})),

    openLibrary: (options) => openLibrary(run, options),
  };
}
