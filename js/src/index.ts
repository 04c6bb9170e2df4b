/**
 * bunzai converts AI role-play character cards and lorebooks between apps, on the machine where it runs.
 *
 * ```js
 * import { convert } from 'bunzai';
 * const { data, fileName, report } = await convert(file, { to: 'lumiverse' });
 * ```
 *
 * The engine is loaded at the first call (or by `init`) and stays. Calls may be open at the same time; they are served
 * one after the other. `bunzai/worker` has a pool that serves several at once.
 * @module
 */
import { platform } from './platform.js';

export * from './core.js';

platform.wasm = () => new URL('./engine.wasm', import.meta.url);
