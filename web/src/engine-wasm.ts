// Starts the Go engine inside the worker: fetches the module, compiles it, runs it, waits for it to register itself.
import 'virtual:wasm_exec';
import type { Engine } from '../../js/src/types.ts';
import { failure } from './failure.ts';

declare global {
  var __bunzai: Engine | undefined;
  var __bunzaiReady: ((engine: Engine) => void) | undefined;
}

export interface Started {
  engine: Engine;
  /** Resolves when the Go program has ended, which it never should: then no pending call will ever answer. */
  ended: Promise<void>;
  /** Bytes of linear memory now. */
  memory: () => number;
  module: WebAssembly.Module | null;
}

export async function start(url: string, compiled: WebAssembly.Module | null): Promise<Started> {
  const module = compiled ?? (await compile(url));
  const go = new Go();
  const instance = await WebAssembly.instantiate(module, go.importObject);
  const ready = new Promise<Engine>((resolve) => {
    globalThis.__bunzaiReady = resolve;
  });
  const ended = go.run(instance);
  const engine = await Promise.race([
    ready,
    ended.then(() => {
      throw failure('internal', 'The engine ended before it was ready. Reload the page; if it stays so, this copy of bunzai is broken.', url);
    }),
  ]);
  const mem = instance.exports['mem'];
  return { engine, ended, module, memory: () => (mem instanceof WebAssembly.Memory ? mem.buffer.byteLength : 0) };
}

/** Compiles while loading where the host serves the right media type, from the bytes where it does not. */
async function compile(url: string): Promise<WebAssembly.Module> {
  let response: Response;
  try {
    response = await fetch(url, { credentials: 'omit' });
  } catch (e) {
    throw failure('internal', `The engine could not be loaded from ${url}: ${e instanceof Error ? e.message : String(e)}. Check the connection and reload the page.`, url);
  }
  if (!response.ok) {
    throw failure('internal', `The engine is missing: ${url} answered ${response.status}${response.statusText ? ` ${response.statusText}` : ''}. Whoever hosts this page must put engine.wasm beside it.`, url);
  }
  const type = (response.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type === 'application/wasm' && 'compileStreaming' in WebAssembly) {
    return WebAssembly.compileStreaming(response);
  }
  const bytes = await response.arrayBuffer();
  const head = new Uint8Array(bytes, 0, Math.min(4, bytes.byteLength));
  if (!(head[0] === 0 && head[1] === 0x61 && head[2] === 0x73 && head[3] === 0x6d)) {
    throw failure('internal', `What ${url} answered (${response.status}, ${type || 'no media type'}) is not a WebAssembly module. Whoever hosts this page must put engine.wasm beside it.`, url);
  }
  return WebAssembly.compile(bytes);
}
