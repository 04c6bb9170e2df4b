import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { metaCSP } from './csp.ts';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Puts the policy into the built page; the dev server needs inline scripts and goes without. */
const csp: Plugin = {
  name: 'csp',
  apply: 'build',
  transformIndexHtml: { order: 'post', handler: () => [{ tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content: metaCSP }, injectTo: 'head-prepend' }] },
};

/** `virtual:wasm_exec`: Go's own glue, from the toolchain that builds the engine (or a copy in public/). */
const wasmExec: Plugin = {
  name: 'wasm_exec',
  resolveId: (id) => (id === 'virtual:wasm_exec' ? '\0wasm_exec' : null),
  load: (id) => {
    if (id !== '\0wasm_exec') return null;
    const copy = at('public/wasm_exec.js');
    const path = existsSync(copy) ? copy : `${execFileSync('go', ['env', 'GOROOT'], { encoding: 'utf8' }).trim()}/lib/wasm/wasm_exec.js`;
    return { code: readFileSync(path, 'utf8'), moduleSideEffects: true };
  },
};

/** A query that changes with the engine, so that a host's cache never pairs a new page with an old module. */
function engineQuery(): string {
  const file = at('public/engine.wasm');
  return existsSync(file) ? `?v=${createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 10)}` : '';
}

export default defineConfig(({ mode }) => {
  const alias = { '#engine': at(mode === 'fake' ? 'src/dev/fake-engine.ts' : 'src/engine-wasm.ts') };
  return {
    base: './',
    resolve: { alias },
    define: { __ENGINE_QUERY__: JSON.stringify(mode === 'fake' ? '' : engineQuery()) },
    plugins: [csp, wasmExec],
    worker: { format: 'es', plugins: () => [wasmExec] },
    build: { target: 'es2022', assetsInlineLimit: 0, modulePreload: { polyfill: false }, reportCompressedSize: true, cssCodeSplit: false },
  };
});
