/** The entry for Node: the same module, with the engine read from disk. @module */
import { readFile } from 'node:fs/promises';
import { fallback } from './source.js';

export * from './index.js';

fallback.source = () => readFile(new URL('./engine.wasm', import.meta.url));
