import type { ModuleSource } from './module.js';

/** Where the engine comes from when nobody says; the entry for Node sets its own. */
export const fallback: { source: () => ModuleSource | Promise<ModuleSource> } = {
  source: () => new URL('./engine.wasm', import.meta.url),
};
