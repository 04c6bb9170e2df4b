/**
 * bunzai converts AI role-play character cards and lorebooks between apps, on the machine where it runs.
 *
 * ```js
 * import { convert } from 'bunzai';
 * const { data, fileName, report } = await convert(file, { to: 'lumiverse' });
 * ```
 *
 * The engine is loaded at the first call (or by `init`) and stays; any number of calls may be open at a time.
 * @module
 */
import { BunzaiError } from './errors.js';
import { Instance } from './instance.js';
import { compile, type ModuleSource } from './module.js';
import { fallback } from './source.js';
import type { CommonOptions, Conversion, ConvertOptions, Detection, FormatInfo, Input, Inspection } from './types.js';

export * from './types.js';
export { BunzaiError } from './errors.js';
export { version } from './version.js';
export type { ModuleSource } from './module.js';

/** Options of `init`. */
export interface InitOptions {
  /** Where the WebAssembly module comes from. Default: `engine.wasm` beside this file. */
  wasm?: ModuleSource | Promise<ModuleSource> | (() => ModuleSource | Promise<ModuleSource>);
}

let chosen: (() => ModuleSource | Promise<ModuleSource>) | null = null;
let compiled: Promise<WebAssembly.Module> | null = null;
let running: Promise<Instance> | null = null;

/**
 * Loads the engine ahead of the first call, or sets where it comes from. Not needed otherwise. A failed load is tried
 * again at the next call.
 */
export async function init(options: InitOptions = {}): Promise<void> {
  for (const key of Object.keys(options)) {
    if (key !== 'wasm') throw new BunzaiError({ code: 'bad-argument', message: `init has no option ${JSON.stringify(key)}; it has: wasm` });
  }
  const { wasm } = options;
  if (wasm !== undefined) {
    chosen = typeof wasm === 'function' ? (wasm as () => ModuleSource | Promise<ModuleSource>) : () => wasm;
    compiled = running = null;
  }
  await instance();
}

/** Says what a file is, and every format's bid on it. */
export function detect(input: Input, options?: CommonOptions): Promise<Detection> {
  return call((i) => i.call((e) => e.detect(input, options)));
}

/** Reads a file for showing: its pieces, texts, entries, pictures, and the apps it can go to. */
export function inspect(input: Input, options?: CommonOptions & { assets?: boolean }): Promise<Inspection> {
  return call((i) => i.call((e) => e.inspect(input, options)));
}

/** Converts a file for another app, or for its own, with a report of what became of every part. */
export function convert(input: Input, options: ConvertOptions): Promise<Conversion> {
  return call((i) => i.call((e) => e.convert(input, options)));
}

/** Lists the formats, what each writes, and its field map. */
export function formats(): Promise<FormatInfo[]> {
  return call((i) => i.call((e) => e.formats()));
}

/** Bytes of memory that the engine holds now; 0 when it is not loaded. For tests and measurements. */
export async function memory(): Promise<number> {
  return running ? (await running).memoryBytes : 0;
}

async function call<T>(run: (i: Instance) => Promise<T>): Promise<T> {
  const i = await instance();
  try {
    return await run(i);
  } finally {
    if (i.worn) running = null;
  }
}

async function instance(): Promise<Instance> {
  // A dead instance is replaced; so is one whose start failed.
  for (;;) {
    const mine = (running ??= start());
    let i: Instance;
    try {
      i = await mine;
    } catch (e) {
      if (running === mine) running = null;
      throw e;
    }
    if (!i.dead) return i;
    if (running === mine) running = null;
  }
}

async function start(): Promise<Instance> {
  const mine = (compiled ??= Promise.resolve((chosen ?? fallback.source)()).then(compile));
  let module: WebAssembly.Module;
  try {
    module = await mine;
  } catch (e) {
    if (compiled === mine) compiled = null;
    throw e;
  }
  return Instance.start(module);
}
