/**
 * The entry for Cloudflare Workers: the same calls, with the engine as a module that the platform has compiled, and the
 * limits of an isolate of 128 MiB unless others are asked for.
 * @module
 */
import wasm from './engine.wasm';
import { platform } from './platform.js';

export * from './core.js';

platform.wasm = () => wasm;
platform.limits = 'edge';
platform.independent = true;
