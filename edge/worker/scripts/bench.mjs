// Measures what a request costs, three ways, in turn in the same run (KF-152 and the speed question):
//   stock  github.com/syumai/workers' own template: an instance for each request
//   swap   the same program, the next instance started ahead with ctx.waitUntil
//   kept   ours: one instance that stays
//   echo   no program at all: the body is read, and sent back; what every way costs before it does anything
// node scripts/bench.mjs [rounds]; prints medians, and how many times as long the stock way takes: as measured, and
// what is over the echo alone. Loopback only, bounded.
import { execFileSync } from 'node:child_process';
import { Agent, request } from 'node:http';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildWasm, measure } from './build.mjs';
import { dist, repo, root, start } from '../test/harness.mjs';

const WARM = 100;
const rounds = Number(process.argv[2] ?? 60);
const tmp = join(root, '.bench');

function stock() {
  rmSync(tmp, { recursive: true, force: true });
  mkdirSync(tmp, { recursive: true });
  execFileSync('go', ['run', 'github.com/syumai/workers/cmd/workers-assets-gen', '-mode=go', '-o', join(tmp, 'stock')], { cwd: repo, stdio: 'inherit' });
  buildWasm('./wasm/stock', join(tmp, 'stock', 'app.wasm'), 0);
  cpSync(join(tmp, 'stock'), join(tmp, 'swap'), { recursive: true });
  // The loader and the runtime's part stay; only who starts the instance, and when, changes.
  writeFileSync(join(tmp, 'swap', 'worker.mjs'), `import './wasm_exec.js';
import { createRuntimeContext, loadModule } from './runtime.mjs';
globalThis.tryCatch = (fn) => { try { return { result: fn() }; } catch (error) { return { error }; } };
let next = null;
async function begin(env, ctx) {
  const binding = {};
  const go = new Go();
  let ready;
  const isReady = new Promise((resolve) => { ready = resolve; });
  const instance = new WebAssembly.Instance(await loadModule(), { ...go.importObject, workers: { ready: () => ready() } });
  go.run(instance, createRuntimeContext({ env, ctx, binding }));
  await isReady;
  return binding;
}
export default {
  async fetch(req, env, ctx) {
    const binding = next ?? (await begin(env, ctx));
    next = null;
    const res = await binding.handleRequest(req);
    ctx.waitUntil(scheduler.wait(0).then(async () => { next ??= await begin(env, ctx); }));
    return res;
  },
};
`);
  mkdirSync(join(tmp, 'echo'));
  writeFileSync(join(tmp, 'echo', 'worker.mjs'), 'export default { async fetch(req) { return new Response(await req.arrayBuffer()); } };');
}

const median = (a, q = 0.5) => [...a].sort((x, y) => x - y)[Math.floor((a.length - 1) * q)];

/** How many times as long the stock way takes. */
function compared(times, name) {
  if (name === 'echo') return '';
  const [stock, it, none] = [times.stock, times[name], times.echo].map((t) => median(t));
  return `, stock / it = ${(stock / it).toFixed(1)}, over the echo ${((stock - none) / (it - none)).toFixed(1)}`;
}

async function main() {
  stock();
  const s = measure(join(tmp, 'stock'), Infinity);
  const k = measure();
  const ways = { echo: ['echo', 'worker.mjs'], stock: ['stock', 'worker.mjs'], swap: ['swap', 'worker.mjs'], kept: [null, 'worker.js'] };
  execFileSync('go', ['run', './bench/native', '--inputs', '--dir', join(tmp, 'inputs')], { cwd: repo, stdio: ['ignore', 'ignore', 'inherit'] });
  const input = (name) => readFileSync(join(tmp, 'inputs', name));
  const jobs = { 'card 600 KB': ['/v1/convert?to=sillytavern', input('small.png')], 'to lumiverse': ['/v1/convert?to=lumiverse', input('small.png')], 'large 5 MB': ['/v1/convert?to=sillytavern', input('large.png')], 'detect 9 KB': ['/v1/detect', input('small.json')] };
  console.log(`${rounds} rounds, one request after another: ${Object.entries(jobs).map(([k, [p, b]]) => `${k}: POST ${p}, ${b.length} bytes`).join('; ')}`);
  const results = {};
  const servers = {};
  for (const [name, [dir, entry]] of Object.entries(ways)) {
    const t = performance.now();
    servers[name] = await start({ bindings: { LOG: '' }, dir: dir ? join(tmp, dir) : dist, entry, unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }] });
    servers[name].direct = (await servers[name].mf.unsafeGetDirectURL()).href.replace(/\/$/, '');
    servers[name].boot = performance.now() - t;
    results[name] = { first: 0 };
  }
  const agent = new Agent({ keepAlive: true });
  const post = (name, [path, body]) => new Promise((resolve, reject) => {
    const t = performance.now();
    const r = request(servers[name].direct + path, { method: 'POST', agent, headers: { 'content-length': body.length } }, (res) => {
      const parts = [];
      res.on('data', (p) => parts.push(p));
      res.on('end', () => {
        const all = Buffer.concat(parts);
        if (res.statusCode !== 200) reject(new Error(`${name}: ${res.statusCode} ${all}`));
        else resolve([performance.now() - t, all]);
      });
    });
    r.on('error', reject);
    r.end(body);
  });
  const pause = (ms = 40) => new Promise((r) => setTimeout(r, ms)); // what is started ahead may finish
  for (const name of Object.keys(ways)) results[name].first = (await post(name, jobs['detect 9 KB']))[0];
  for (const [what, job] of Object.entries(jobs)) {
    const times = { echo: [], stock: [], swap: [], kept: [] };
    let bytes = null;
    // Warm is a program whose busy functions the platform has compiled for good, which takes a hundred requests; stock
    // and swap share theirs among instances.
    const early = {};
    for (const name of Object.keys(ways)) {
      const t = [];
      for (let k = 0; k < WARM; k++) {
        t.push((await post(name, job))[0]);
        await pause(4);
      }
      early[name] = median(t.slice(10, 50));
    }
    console.log(`${what.padEnd(12)} requests 11 to 50 of each: ${Object.entries(early).map(([name, ms]) => `${name} ${ms.toFixed(2)} ms`).join(', ')}`);
    // In turn, ten at a time, so that what else the machine does hits all alike.
    for (let i = 0; i < rounds; i += 10) {
      for (const name of Object.keys(ways)) {
        for (let k = 0; k < 10; k++) {
          const [ms, out] = await post(name, job);
          if (name !== 'echo') bytes ??= out;
          if (name !== 'echo' && !out.equals(bytes)) throw new Error(`${name} answers other bytes`);
          times[name].push(ms);
          await pause();
        }
      }
    }
    for (const [name, t] of Object.entries(times)) {
      console.log(`${what.padEnd(12)} ${name.padEnd(5)} p50 ${median(t).toFixed(2).padStart(7)} ms, p95 ${median(t, 0.95).toFixed(2).padStart(7)} ms${compared(times, name)}`);
    }
  }
  // Back to back, in turn, twenty at a time: a burst leaves no idle time in which to start ahead.
  const burst = { echo: [], stock: [], swap: [], kept: [] };
  for (let i = 0; i < rounds; i += 20) {
    for (const name of Object.keys(ways)) for (let k = 0; k < 20; k++) burst[name].push((await post(name, jobs['card 600 KB']))[0]);
  }
  for (const [name, t] of Object.entries(burst)) {
    console.log(`card 600 KB, back to back ${name.padEnd(5)} p50 ${median(t).toFixed(2).padStart(6)} ms${compared(burst, name)}; first request ${results[name].first.toFixed(1)} ms`);
  }
  console.log(`size: kept ${k.compressed} compressed, ${k.plain} plain; stock ${s.compressed}, ${s.plain}`);
  agent.destroy();
  for (const x of Object.values(servers)) await x.stop();
  rmSync(tmp, { recursive: true, force: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
