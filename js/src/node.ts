/** The entry for Node and Deno: the same calls, with the engine read from disk, paths and FileHandles. @module */
import { readFile } from 'node:fs/promises';
import { openNode } from './node-input.js';
import { platform } from './platform.js';

export * from './core.js';

platform.wasm = () => readFile(new URL('./engine.wasm', import.meta.url));
platform.open = openNode;
