/** A pool of worker_threads: several files at once, and the main thread stays free meanwhile. @module */
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { openNode } from './node-input.js';
import { platform } from './platform.js';
import { pool, type Pool, type PoolOptions } from './pool.js';

export type * from './types.js';
export { BunzaiError } from './errors.js';
export type { Pool, PoolOptions } from './pool.js';

platform.open = openNode;

/** Makes a pool. Threads start when the first calls come; idle ones do not keep the process from ending. */
export function createPool(options: PoolOptions = {}): Pool {
  return pool(options, {
    cores: availableParallelism(),
    wasm: () => readFile(new URL('./engine.wasm', import.meta.url)),
    start(hearing, make) {
      const worker = make ? (make() as Worker) : new Worker(new URL('./worker-script-node.js', import.meta.url), { name: 'bunzai', execArgv: [] });
      worker.on('message', (m) => hearing.message(m));
      worker.on('error', (e) => hearing.died(e));
      worker.on('messageerror', (e) => hearing.died(e));
      worker.on('exit', (code) => hearing.died(new Error(`it ended with code ${code}`)));
      return { post: (m) => worker.postMessage(m), end: () => void worker.terminate(), hold: (on) => (on ? worker.ref() : worker.unref()) };
    },
  });
}
