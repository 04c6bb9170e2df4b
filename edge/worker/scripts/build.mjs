// Builds dist/: worker.js and its modules, the Go program, and its loader. Fails when what is uploaded would be over the
// platform's size (KF-151). `node scripts/build.mjs --check` only measures.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const repo = join(root, '..', '..');
const dist = join(root, 'dist');
/** Compressed bytes that the platform's free plan takes. */
const LIMIT = 3 << 20;
/** Pages of 64 KiB that the program may have at most: what is over is a clean failure of one request, not the isolate's end. */
const PAGES = (72 << 20) >> 16;

const go = (args, env = {}) => execFileSync('go', args, { cwd: repo, encoding: 'utf8', env: { ...process.env, ...env } }).trim();

/** The size of what is uploaded, compressed as a whole and as it is. Throws above the limit. */
export function measure(dir = dist, limit = LIMIT) {
  const files = readdirSync(dir).filter((f) => /\.(js|wasm)$/.test(f)).sort();
  const all = Buffer.concat(files.map((f) => readFileSync(join(dir, f))));
  const size = { plain: all.length, compressed: gzipSync(all, { level: 9 }).length, files };
  if (size.compressed > limit) {
    throw new Error(`the Worker is ${size.compressed} bytes compressed and the platform takes ${limit}; find out what grew with make size`);
  }
  return size;
}

/** Gives the module's memory an upper bound: section 5 holds one memory, flags and minimum. */
export function boundMemory(wasm, pages) {
  const read = (at) => {
    let n = 0, shift = 0, b;
    do { b = wasm[at++]; n |= (b & 127) << shift; shift += 7; } while (b & 128);
    return [n >>> 0, at];
  };
  const leb = (n) => {
    const out = [];
    do { out.push((n & 127) | (n > 127 ? 128 : 0)); n >>>= 7; } while (n);
    return out;
  };
  for (let at = 8; at < wasm.length;) {
    const id = wasm[at];
    const [size, start] = read(at + 1);
    if (id === 5) {
      const [count, flagsAt] = read(start);
      const [min] = read(flagsAt + 1);
      if (count !== 1 || wasm[flagsAt] !== 0) throw new Error('the module does not have the one unbounded memory that Go gives it');
      if (min > pages) throw new Error(`the module wants ${min} pages at start`);
      const body = [1, 1, ...leb(min), ...leb(pages)];
      return Buffer.concat([wasm.subarray(0, at), Buffer.from([5, ...leb(body.length), ...body]), wasm.subarray(start + size)]);
    }
    at = start + size;
  }
  throw new Error('the module has no memory');
}

/** The loader script of the toolchain that compiles the program, as a module that sets no global and no timer. */
export function loader() {
  const goroot = go(['env', 'GOROOT']);
  const from = ['lib', 'misc'].map((d) => join(goroot, d, 'wasm', 'wasm_exec.js')).find(existsSync);
  if (!from) throw new Error(`the Go toolchain in ${goroot} has no wasm_exec.js`);
  return `// Made by scripts/build.mjs from the loader script of ${go(['env', 'GOVERSION'])}; do not edit.
export const goVersion = ${JSON.stringify(go(['env', 'GOVERSION']))};
export function loadGo(globalThis) {
// A timer would belong to the request that set it, and nothing in the program waits for time.
let timers = 0;
const setTimeout = () => ++timers, clearTimeout = () => {};
const { crypto, performance, TextEncoder, TextDecoder, Uint8Array, Object, Reflect, Date, Promise } = globalThis;
// Go's last words may hold whatever it worked on, so they go no further than to whoever asks why it ended.
const fs = { writeSync: (_fd, buf) => { globalThis.__bunzaiLastWords(new TextDecoder().decode(buf.subarray(0, 1000))); return buf.length; } };
${readFileSync(from, 'utf8').trimEnd()}
return globalThis.Go;
}
`;
}

export function buildWasm(pkg, to, bound = PAGES) {
  const version = JSON.parse(readFileSync(join(repo, 'js', 'package.json'), 'utf8')).version;
  const raw = `${to}.raw`;
  go(['build', '-trimpath', `-ldflags=-s -w -X main.version=${version}`, '-o', raw, pkg], { GOOS: 'js', GOARCH: 'wasm' });
  go(['run', './wasm/slim', raw]);
  const wasm = readFileSync(raw);
  rmSync(raw);
  writeFileSync(to, bound ? boundMemory(wasm, bound) : wasm);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!process.argv.includes('--check')) {
    rmSync(dist, { recursive: true, force: true });
    mkdirSync(dist, { recursive: true });
    writeFileSync(join(dist, 'go.js'), loader());
    buildWasm('./wasm/worker', join(dist, 'engine.wasm'));
    execFileSync(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', root], { cwd: root, stdio: 'inherit' });
  }
  const s = measure();
  console.log(`worker: ${s.compressed} bytes compressed of ${LIMIT}, ${s.plain} plain (${s.files.join(', ')})`);
}
