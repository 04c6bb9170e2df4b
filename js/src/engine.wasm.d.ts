import type { CompiledModule } from './module.js';

/**
 * The engine as an import. In Cloudflare Workers it is a compiled module; with a bundler it is what its loader makes of
 * a .wasm file: an address or bytes. `init({ wasm })` takes any of them.
 */
declare const wasm: string | ArrayBufferView | CompiledModule;
export default wasm;
