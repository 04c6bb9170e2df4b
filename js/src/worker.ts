/**
 * A pool of Web Workers: several files at once, and the page stays free meanwhile.
 *
 * ```js
 * import { createPool } from 'bunzai/worker';
 * const pool = createPool();
 * const results = await Promise.all(files.map((f) => pool.convert(f, { to: 'lumiverse' })));
 * await pool.close();
 * ```
 * @module
 */
import { pool, type Pool, type PoolOptions } from './pool.js';

export type * from './types.js';
export { BunzaiError } from './errors.js';
export type { Pool, PoolOptions } from './pool.js';

/** Makes a pool. Threads start when the first calls come. */
export function createPool(options: PoolOptions = {}): Pool {
  return pool(options, {
    cores: typeof navigator === 'undefined' ? 1 : navigator.hardwareConcurrency,
    wasm: () => new URL('./engine.wasm', import.meta.url),
    start(hearing, make) {
      const worker = make ? (make() as Worker) : new Worker(new URL('./worker-script.js', import.meta.url), { type: 'module', name: 'bunzai' });
      worker.onmessage = (e) => hearing.message(e.data);
      worker.onerror = (e) => {
        e.preventDefault();
        hearing.died(new Error(e.message || "the worker's script could not be loaded"));
      };
      worker.onmessageerror = () => hearing.died(new Error('an answer could not be read'));
      return { post: (m) => worker.postMessage(m), end: () => worker.terminate(), hold: () => {} };
    },
  });
}
