import { api } from './api.js';
import { Engines, type InitOptions } from './engines.js';
import type { Bunzai, Convert } from './types.js';

export type * from './types.js';
export { BunzaiError } from './errors.js';
export type { FailureInit } from './errors.js';
export { version } from './version.js';
export type { CompiledModule, ModuleSource } from './module.js';
export type { InitOptions } from './engines.js';

const engines = new Engines();
const calls = api(engines);

/**
 * Loads the engine ahead of the first call, or sets where it comes from. Not needed otherwise. A failed load is tried
 * again at the next call.
 */
export const init = (options?: InitOptions): Promise<void> => engines.init(options);

/** Says what a file is, and every format's bid on it. */
export const detect: Bunzai['detect'] = calls.detect;

/** Reads a file for showing: its pieces, texts, entries, pictures, and the apps it can go to. */
export const inspect: Bunzai['inspect'] = calls.inspect;

/** Converts a file for another app, or for its own, with a report of what became of every part. */
export const convert: Convert = calls.convert;

/** Lists the formats, what each writes, and its field map. */
export const formats: Bunzai['formats'] = calls.formats;

/** Opens the library of this browser: pieces kept on this device, linked, and exported together. */
export const openLibrary: Bunzai['openLibrary'] = calls.openLibrary;

/** Bytes of memory that the engine holds now; 0 when it is not loaded. For tests and measurements. */
export const memory = async (): Promise<number> => engines.memory;
