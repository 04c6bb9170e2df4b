/** The entry for Node: the same module, with the engine read from disk. @module */
import { readFile } from 'node:fs/promises';
import { setDefaultSource } from './index.js';

export * from './index.js';

setDefaultSource(() => readFile(new URL('./engine.wasm', import.meta.url)));
