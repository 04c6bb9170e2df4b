/** The engine's WebAssembly module for loading by hand: `init({ wasm: ... })`, or a cache of your own. @module */
import { compile, type CompiledModule } from './module.js';

export type { CompiledModule, ModuleSource } from './module.js';
export { version } from './version.js';

/** Address of `engine.wasm`. */
export const wasmUrl: URL = new URL('./engine.wasm', import.meta.url);

/** The module's bytes. */
export async function wasmBytes(): Promise<Uint8Array> {
  const r = await fetch(wasmUrl);
  if (!r.ok) throw new Error(`the engine ${wasmUrl} could not be fetched: the server answered ${`${r.status} ${r.statusText}`.trim()}`);
  return new Uint8Array(await r.arrayBuffer());
}

/** The compiled module, which other threads can be sent. */
export async function wasmModule(): Promise<CompiledModule> {
  return compile(wasmUrl);
}
