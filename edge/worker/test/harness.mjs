import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Miniflare } from 'miniflare';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');
export const repo = join(root, '..', '..');
export const dist = join(root, 'dist');

/** The modules of a built folder as miniflare takes them, the entry first. */
export function modules(dir = dist, entry = 'worker.js', extra = []) {
  const files = readdirSync(dir).filter((f) => /\.(m?js|wasm)$/.test(f));
  files.sort((a, b) => (b === entry) - (a === entry));
  return [...extra, ...files.map((f) => ({
    type: f.endsWith('.wasm') ? 'CompiledWasm' : 'ESModule', path: f, contents: readFileSync(join(dir, f)),
  }))];
}

/** Starts workerd with the Worker. Nothing leaves this machine. */
export async function start({ bindings = {}, script, dir, entry, log, ...options } = {}) {
  const lines = [];
  const mf = new Miniflare({
    compatibilityDate: '2026-07-01', host: '127.0.0.1', cf: false,
    modules: script ?? modules(dir, entry), modulesRoot: '/', bindings: { LOG: 'on', ...bindings },
    handleRuntimeStdio: (out, err) => {
      out.on('data', (d) => lines.push(...String(d).split('\n').filter(Boolean)));
      err.on('data', (d) => { lines.push(...String(d).split('\n').filter(Boolean)); if (process.env.VERBOSE) process.stderr.write(d); });
    },
    ...options,
  });
  const url = (await mf.ready).href.replace(/\/$/, '');
  return { mf, url, lines, stop: () => mf.dispose() };
}

export const corpus = (name) => readFileSync(join(repo, 'testdata', 'files', name));

/** The process of workerd that this process started last. */
export function workerdPid() {
  for (const pid of readdirSync('/proc').filter((p) => /^\d+$/.test(p)).sort((a, b) => b - a)) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const ppid = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      if (ppid === process.pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('workerd')) return Number(pid);
    } catch { /* it ended */ }
  }
  throw new Error('there is no workerd');
}

/** A process's memory in bytes. */
export function memoryOf(pid) {
  const s = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kb = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(s)?.[1]) * 1024;
  return { now: kb('VmRSS'), peak: kb('VmHWM') };
}
