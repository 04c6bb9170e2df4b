/** The engine's WebAssembly module for loading by hand, in Node. @module */
import { readFile } from 'node:fs/promises';
import { compile, type CompiledModule } from './module.js';

export type { CompiledModule, ModuleSource } from './module.js';
export { version } from './version.js';

export const wasmUrl: URL = new URL('./engine.wasm', import.meta.url);

export const wasmBytes = async (): Promise<Uint8Array> => new Uint8Array(await readFile(wasmUrl));

export const wasmModule = async (): Promise<CompiledModule> => compile(await wasmBytes());
