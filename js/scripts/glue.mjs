// Writes src/wasm_exec.js and dist/wasm_exec.js from the loader script of the Go toolchain that also builds the
// engine. The script's own text stays as it is; around it goes a function, so that importing bunzai sets no global
// and two copies of the package in one program never meet.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const go = (...args) => execFileSync('go', args, { cwd: root, encoding: 'utf8' }).trim();
const goroot = go('env', 'GOROOT');
const version = go('env', 'GOVERSION');
// lib/wasm since Go 1.24, misc/wasm before.
const from = ['lib', 'misc'].map((d) => join(goroot, d, 'wasm', 'wasm_exec.js')).find(existsSync);
if (!from) throw new Error(`the Go toolchain in ${goroot} has no wasm_exec.js`);

const out = `// Made by scripts/glue.mjs from the loader script of ${version}; do not edit.

/** The toolchain that this loader belongs to; an engine of another one is refused. */
export const goVersion = ${JSON.stringify(version)};

/**
 * Returns the loader's Go class. What the engine sees as its global object is the argument, not the page's.
 */
export function loadGo(globalThis) {
const fs = { writeSync: (fd, buf) => globalThis.fs.writeSync(fd, buf) };
${readFileSync(from, 'utf8').trimEnd()}
return globalThis.Go;
}
`;

mkdirSync(join(root, 'dist'), { recursive: true });
for (const name of ['wasm_exec.d.ts', 'engine.wasm.d.ts']) copyFileSync(join(root, 'src', name), join(root, 'dist', name));
for (const dir of ['src', 'dist']) {
  mkdirSync(join(root, dir), { recursive: true });
  const to = join(root, dir, 'wasm_exec.js');
  if (!existsSync(to) || readFileSync(to, 'utf8') !== out) writeFileSync(to, out);
}
