// node bench/size.mjs ENGINE    Bytes of the engine as built, gzipped and brotli-compressed, and the share of each
// package in its code, read from an unstripped build of the same sources.
import { execFileSync } from 'node:child_process';
import { readFileSync, mkdirSync } from 'node:fs';
import { join, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const engine = readFileSync(process.argv[2]);
const mib = (n) => `${(n / 2 ** 20).toFixed(2)} MiB`;
console.log(`raw     ${engine.length} bytes (${mib(engine.length)})`);
const gz = gzipSync(engine, { level: 9 }).length;
console.log(`gzip -9 ${gz} bytes (${mib(gz)})`);
const br = brotliCompressSync(engine, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: engine.length } }).length;
console.log(`brotli  ${br} bytes (${mib(br)})`);

const named = join(root, 'bin', 'engine-named.wasm');
mkdirSync(dirname(named), { recursive: true });
execFileSync('go', ['build', '-trimpath', '-o', named, './wasm/engine'], { cwd: root, env: { ...process.env, GOOS: 'js', GOARCH: 'wasm' }, stdio: 'inherit' });
const b = readFileSync(named);
let at = 8;
const u32 = () => { let r = 0, s = 0, x; do { x = b[at++]; r += (x & 127) * 2 ** s; s += 7; } while (x & 128); return r; };
const skipName = () => { const n = u32(); const s = b.toString('utf8', at, at + n); at += n; return s; };
let imports = 0, bodies = [], names = new Map(), data = 0;
while (at < b.length) {
  const id = b[at++], size = u32(), end = at + size;
  if (id === 2) {
    for (let n = u32(); n--;) {
      skipName(); skipName();
      const kind = b[at++];
      if (kind === 0) { u32(); imports++; } else throw new Error('unexpected import');
    }
  } else if (id === 10) {
    for (let n = u32(); n--;) { const len = u32(); bodies.push(len); at += len; }
  } else if (id === 11) data = size;
  else if (id === 0) {
    const name = skipName();
    if (name === 'name') while (at < end) {
      const sub = b[at++], subEnd = u32() + at;
      if (sub === 1) for (let n = u32(); n--;) { const i = u32(); names.set(i, skipName()); }
      at = subEnd;
    }
  }
  at = end;
}
// The linker writes package paths with _ for /: "bunzai_formats_internal_book.Decode" is in bunzai/formats/internal/book.
const group = (symbol) => {
  const s = symbol.replace(/\[.*/, '').replace(/^(github\.com|golang\.org|gopkg\.in|go\.[a-z]+)_/, (m) => m.replace('.', '\0'));
  const dot = s.indexOf('.');
  return (dot < 0 ? 'other' : s.slice(0, dot)).replace('\0', '.').replaceAll('_', '/');
};
const by = new Map();
bodies.forEach((len, i) => {
  const g = group(names.get(i + imports) ?? 'other');
  by.set(g, (by.get(g) ?? 0) + len);
});
const total = bodies.reduce((a, x) => a + x, 0);
console.log(`\ncode    ${mib(total)}, data ${mib(data)} of the unstripped build; largest packages by code:`);
for (const [g, n] of [...by].sort((a, x) => x[1] - a[1]).slice(0, 28)) console.log(`${String(n).padStart(9)}  ${(100 * n / total).toFixed(1).padStart(5)} %  ${g}`);
