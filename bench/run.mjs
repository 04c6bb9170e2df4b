// node bench/run.mjs [--budget MS] [--files a,b]    The engine in WebAssembly under Node on the inputs of bench/inputs.go, each
// input and operation in a process of its own; then the peers, where the benchmark that brings them lies beside this
// repository with its packages installed. Prints tables; nothing is asserted.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..');
const dir = join(root, 'bin', 'bench');
const option = (name, otherwise) => { const i = process.argv.indexOf(`--${name}`); return i > 0 ? process.argv[i + 1] : otherwise; };
const budget = Number(option('budget', '1500'));

if (process.argv[2] === '--child') {
  const [, , , file, op] = process.argv;
  const bytes = new Uint8Array(readFileSync(file));
  const rss = () => process.resourceUsage().maxRSS / 1024;
  const { memory } = await import('../js/dist/node.js');
  const t0 = performance.now();
  const ops = await (await import('./candidate.mjs')).default();
  const start = performance.now() - t0;
  const base = rss();
  const t1 = performance.now();
  try {
    await ops[op](bytes);
  } catch (e) {
    console.log(JSON.stringify({ error: e.message }));
    process.exit(0);
  }
  const first = performance.now() - t1;
  const peak = rss() - base;
  const until = performance.now() + budget * 0.4;
  while (performance.now() < until) await ops[op](bytes);
  const times = [];
  const end = performance.now() + budget;
  while (times.length < 3 || (performance.now() < end && times.length < 20_000)) {
    const t = performance.now();
    await ops[op](bytes);
    times.push(performance.now() - t);
  }
  times.sort((a, b) => a - b);
  const median = times[times.length >> 1];
  console.log(JSON.stringify({ start, first, median, n: times.length, size: bytes.length, peak, linear: (await memory()) / 2 ** 20 }));
  process.exit(0);
}

const made = spawnSync('go', ['run', './bench/native'], { cwd: root, stdio: 'inherit' });
if (made.status !== 0) process.exit(1);

const pad = (s, n) => String(s).padStart(n);
console.log('\nWebAssembly under Node: bytes in, bytes out, report included');
console.log(`${'input'.padEnd(16)} ${'operation'.padEnd(9)} ${pad('median ms', 10)} ${pad('MB/s', 9)} ${pad('first ms', 9)} ${pad('peak MB', 8)} ${pad('linear MiB', 10)}`);
const files = option('files', readdirSync(dir).filter((f) => /\.(png|json|charx)$/.test(f)).join()).split(',');
for (const file of files) {
  for (const op of ['parse', 'toJsonV3', 'toPng', 'toCharx']) {
    const p = spawnSync(process.execPath, [fileURLToPath(import.meta.url), '--child', join(dir, file), op, '--budget', String(budget)], { encoding: 'utf8', timeout: 180_000 });
    const r = p.status === 0 ? JSON.parse(p.stdout) : { error: p.stderr.trim().split('\n').pop() };
    if (r.error) {
      console.log(`${file.padEnd(16)} ${op.padEnd(9)} ${r.error}`);
      continue;
    }
    console.log(`${file.padEnd(16)} ${op.padEnd(9)} ${pad(r.median.toFixed(3), 10)} ${pad((r.size / 1e3 / r.median).toFixed(0), 9)} ${pad(r.first.toFixed(1), 9)} ${pad(r.peak.toFixed(0), 8)} ${pad(r.linear.toFixed(0), 10)}`);
  }
}

const peers = join(root, '..', 'shared', 'bench');
console.log();
if (!existsSync(join(peers, 'run.mjs'))) {
  console.log('No peers beside this repository: the benchmark that compares card libraries is looked for in ../shared/bench.');
} else if (!existsSync(join(peers, 'node_modules'))) {
  console.log('The peers are not installed. Copy ../shared/bench to a folder of its own, run there: npm install --ignore-scripts && node gen-inputs.mjs inputs');
  console.log(`then: CANDIDATE=${join('bench', 'candidate.mjs')} node THAT-FOLDER/run.mjs THAT-FOLDER/inputs`);
} else {
  console.log('Peers, each input and operation in a process of its own:');
  const made = mkdtempSync(join(tmpdir(), 'bunzai-peers-'));
  spawnSync(process.execPath, [join(peers, 'gen-inputs.mjs'), made], { stdio: 'ignore' });
  spawnSync(process.execPath, [join(peers, 'run.mjs'), made, '--budget', String(budget)], { cwd: peers, stdio: 'inherit', env: { ...process.env, CANDIDATE: join(here, 'candidate.mjs') } });
  rmSync(made, { recursive: true, force: true });
}
