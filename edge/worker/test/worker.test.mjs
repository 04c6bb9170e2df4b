import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync, cpSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { boundMemory, loader, measure } from '../scripts/build.mjs';
import { card, cardPNG, charx, hostile, noise } from './files.mjs';
import { corpus, dist, memoryOf, modules, repo, root, start, workerdPid } from './harness.mjs';

const tmp = mkdtempSync(join(tmpdir(), 'bunzai-edge-'));
const cli = join(tmp, 'bunzai');
let s;

before(async () => {
  execFileSync('go', ['build', '-o', cli, './cmd/bunzai'], { cwd: repo });
  s = await start({ bindings: { ORIGINS: 'https://page.example', STALE: '5' } });
});
after(async () => {
  await s.stop();
  rmSync(tmp, { recursive: true });
});

const call = async (path, body, init = {}, to = s) => {
  const res = await fetch(to.url + path, { method: body === undefined ? 'GET' : 'POST', body, ...init });
  return { status: res.status, headers: res.headers, bytes: Buffer.from(await res.arrayBuffer()) };
};
const convertCLI = (file, ...args) => {
  writeFileSync(join(tmp, 'in'), file);
  return execFileSync(cli, ['convert', join(tmp, 'in'), ...args, '-o', '-'], { maxBuffer: 100 << 20, stdio: ['ignore', 'pipe', 'ignore'] });
};

test('every route answers as the native endpoint does', async () => {
  assert.equal((await call('/healthz')).status, 200);
  const formats = await call('/v1/formats');
  const tag = formats.headers.get('etag').replace('W/', '');
  assert.equal((await call('/v1/formats', undefined, { headers: { 'if-none-match': tag } })).status, 304);
  assert.deepEqual(JSON.parse(formats.bytes), JSON.parse(execFileSync(cli, ['formats', '--json'], { maxBuffer: 100 << 20 })));
  const doc = JSON.parse((await call('/v1/openapi.json')).bytes);
  assert.equal(doc.openapi, '3.1.0');
  const file = corpus('v2.json');
  writeFileSync(join(tmp, 'card'), file);
  for (const what of ['detect', 'inspect']) {
    const native = JSON.parse(execFileSync(cli, [what, join(tmp, 'card'), '--json']));
    assert.deepEqual(JSON.parse((await call(`/v1/${what}`, file)).bytes), native, what);
  }
  for (const container of ['json', 'png', 'charx']) {
    const a = await call(`/v1/convert?to=sillytavern&container=${container}`, file);
    assert.equal(a.status, 200);
    assert.ok(a.bytes.equals(convertCLI(file, '--to', 'sillytavern', '--container', container)), container);
    assert.equal(JSON.parse(a.headers.get('bunzai-report')).counts.lost, 0);
    assert.match(a.headers.get('content-disposition'), /^attachment; filename="C_cile\.\w+"; filename\*=UTF-8''C%C3%A9cile/);
  }
  const form = new FormData();
  form.append('to', 'sillytavern');
  form.append('file', new Blob([file]), 'x.json');
  assert.ok((await call('/v1/convert', form)).bytes.equals((await call('/v1/convert?to=sillytavern', file)).bytes));
  const both = await call('/v1/convert?to=sillytavern', file, { headers: { accept: 'multipart/mixed' } });
  assert.match(both.headers.get('content-type'), /^multipart\/mixed; boundary=bunzai-/);
  assert.match(both.bytes.toString('latin1'), /"verdict":"carried"/);
  for (const [path, body, init, status] of [
    ['/v1/nothing', undefined, {}, 404], ['/v1/convert', undefined, {}, 405], ['/v1/inspect', 'x', {}, 415], ['/v1/inspect', corpus('v2.json').subarray(0, 99), {}, 422],
    ['/v1/convert', file, {}, 400], ['/v1/detect', '', {}, 400], ['/v1/detect', file, { headers: { origin: 'https://evil.example' } }, 403],
    ['/v1/convert', undefined, { method: 'OPTIONS', headers: { origin: 'https://page.example', 'access-control-request-method': 'POST' } }, 204],
  ]) {
    const a = await call(path, body, init);
    assert.equal(a.status, status, `${path}: ${a.bytes}`);
    if (status >= 400) assert.equal(a.headers.get('content-type'), 'application/problem+json');
  }
});

test('one instance serves all of them, and the log holds nothing of the cards', async () => {
  for (let i = 0; i < 20; i++) assert.equal((await call('/v1/convert?to=lumiverse&name=Secretfile', card({ name: 'Secretname' }))).status, 200);
  const lines = s.lines.filter((l) => l.startsWith('{')).map((l) => JSON.parse(l));
  const ids = new Set(lines.filter((l) => l.msg === 'request').map((l) => l.id.split('-')[0]));
  assert.equal(ids.size, 1, 'the ids of one instance');
  assert.ok(!s.lines.join('').includes('Secret'));
});

/** Sends the head of a request and some of a far larger body by hand, and waits for the answer with the rest unsent. */
function begin(to, header, bytes) {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(to.url);
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.on('data', (d) => {
      answer += d;
      if (!/"code":"\w+/.test(answer)) return;
      socket.destroy();
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(answer)[1]), answer });
    });
    socket.on('error', reject);
    socket.setTimeout(60_000, () => reject(new Error(`no answer: ${answer}`)));
    socket.write(`POST /v1/detect HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`);
    const block = Buffer.alloc(64 << 10, 'x');
    for (let sent = 0; sent < bytes; sent += block.length) {
      socket.write(Buffer.concat([Buffer.from(`${block.length.toString(16)}\r\n`), block, Buffer.from('\r\n')]));
    }
  });
}

test('KF-149: a body above the limit is refused while it is read, and the instance lives', async () => {
  // With a length: before a byte of it is there. Without: as soon as there are too many, however many would follow.
  for (const [header, sent] of [['Content-Length: 104857600', 0], ['Transfer-Encoding: chunked', (24 << 20) + (256 << 10)]]) {
    const r = await begin(s, header, sent);
    assert.equal(r.status, 413, `${header}: ${r.answer}`);
    assert.match(r.answer, /"code":"limit"/);
  }
  assert.equal((await call('/v1/detect', corpus('v2.json'))).status, 200);
});

test('KF-150: a CHARX of 20 MB comes out as from the command line', async () => {
  const file = charx(20 << 20);
  for (const to of ['sillytavern', 'lumiverse']) {
    const a = await call(`/v1/convert?to=${to}&container=charx`, file);
    assert.equal(a.status, 200, String(a.bytes.subarray(0, 300)));
    assert.ok(a.bytes.equals(convertCLI(file, '--to', to, '--container', 'charx')), to);
    assert.equal(Number(a.headers.get('content-length')), a.bytes.length);
  }
});

test('hostile files are refused and memory stays bounded', async (t) => {
  const pid = workerdPid();
  await call('/v1/detect', noise(20 << 20));
  const base = memoryOf(pid).now;
  for (const [name, file, want] of hostile()) {
    for (const path of ['/v1/inspect', '/v1/convert?to=lumiverse']) {
      const a = await call(path, file);
      assert.ok([want].flat().includes(a.status), `${name}, ${path}: ${a.status} ${a.bytes.subarray(0, 300)}`);
      assert.equal((await call('/healthz')).status, 200, `${name}: the next request is well`);
    }
  }
  const after = memoryOf(pid);
  t.diagnostic(`workerd: ${base >> 20} MiB before, peak ${after.peak >> 20} MiB, after ${after.now >> 20} MiB`);
  // The process also holds workerd itself, compiled code, and old instances that V8 has not collected yet.
  assert.ok(after.peak - base < 512 << 20, `${(after.peak - base) >> 20} MiB more`);
  const good = await call('/v1/convert?to=sillytavern&container=png', corpus('v2.json'));
  assert.ok(good.bytes.equals(convertCLI(corpus('v2.json'), '--to', 'sillytavern', '--container', 'png')), 'what comes next is not touched');
});

test('constant answers under load', async () => {
  const file = cardPNG(card({ description: 'd'.repeat(50_000) }));
  const want = convertCLI(file, '--to', 'lumiverse');
  const big = charx(8 << 20);
  const wantBig = convertCLI(big, '--to', 'lumiverse', '--container', 'charx');
  const kinds = [
    async () => { const a = await call('/v1/convert?to=lumiverse', file); assert.equal(a.status, 200); assert.ok(a.bytes.equals(want)); },
    async () => { const a = await call('/v1/inspect', 'no card'); assert.equal(a.status, 415); },
    async () => { const a = await call('/v1/convert?to=lumiverse', file.subarray(0, 500)); assert.equal(a.status, 422); },
    async () => {
      const a = await call('/v1/convert?to=lumiverse&container=charx', big);
      if (a.status === 503) assert.equal(a.headers.get('retry-after'), '1');
      else { assert.equal(a.status, 200); assert.ok(a.bytes.equals(wantBig)); }
    },
    async () => assert.equal((await call('/v1/formats')).status, 200),
  ];
  let next = 0;
  await Promise.all(Array.from({ length: 16 }, async () => {
    while (next < 200) await kinds[next++ % kinds.length]();
  }));
});

test('clients that go away leave no trace', async () => {
  for (let i = 0; i < 12; i++) {
    const abort = new AbortController();
    // Some go while they send, some while they get.
    const slow = new ReadableStream({ async pull(c) { c.enqueue(noise(1 << 20)); await new Promise((r) => setTimeout(r, 20)); } });
    const body = i % 2 ? slow : charx(16 << 20);
    const p = fetch(`${s.url}/v1/convert?to=sillytavern&container=charx`, { method: 'POST', body, duplex: 'half', signal: abort.signal }).then((r) => r.body.getReader().read());
    setTimeout(() => abort.abort(), 100 + 40 * i);
    await p.catch(() => undefined);
  }
  await new Promise((r) => setTimeout(r, 5500)); // STALE
  const file = charx(20 << 20);
  assert.equal((await call('/v1/convert?to=sillytavern&container=charx', file)).status, 200);
});

test('an instance that dies or grows is replaced, and nothing else notices', async () => {
  // The same Worker with so little memory that a plain big file is its end.
  const dir = join(tmp, 'small');
  cpSync(dist, dir, { recursive: true });
  const wasm = readFileSync(join(dist, 'engine.wasm'));
  writeFileSync(join(dir, 'engine.wasm'), boundMemory(unbound(wasm), 256)); // 16 MiB
  const small = await start({ dir });
  try {
    const good = corpus('v2.json');
    const want = await call('/v1/convert?to=sillytavern&container=png', good, {}, small);
    assert.equal(want.status, 200);
    const killer = card({ description: 'x'.repeat(8 << 20) });
    for (let i = 0; i < 5; i++) {
      const [dead, ...others] = await Promise.all([
        call('/v1/convert?to=sillytavern', killer, {}, small),
        ...Array.from({ length: 4 }, () => call('/v1/convert?to=sillytavern&container=png', good, {}, small)),
      ]);
      assert.equal(dead.status, 413, String(dead.bytes));
      assert.equal(JSON.parse(dead.bytes).limit.name, 'Memory');
      for (const o of others) assert.ok(o.bytes.equals(want.bytes));
    }
    assert.ok(small.lines.some((l) => l.includes('instance ended')));
  } finally {
    await small.stop();
  }
});

/** Takes the upper bound away again, so that a test can set another. */
function unbound(wasm) {
  const i = wasm.indexOf(Buffer.from([5])); // sections come in order; the memory's is found by its body
  for (let at = i; at >= 0; at = wasm.indexOf(Buffer.from([5]), at + 1)) {
    if (wasm[at + 2] === 1 && wasm[at + 3] === 1 && wasm[at + 1] < 12 && wasm[at + 1] >= 4) {
      const end = at + 2 + wasm[at + 1];
      let min = at + 4;
      while (wasm[min] & 128) min++;
      const body = Buffer.concat([Buffer.from([1, 0]), wasm.subarray(at + 4, min + 1)]);
      return Buffer.concat([wasm.subarray(0, at), Buffer.from([5, body.length]), body, wasm.subarray(end)]);
    }
  }
  throw new Error('no memory');
}

test('tokens and the rate limiter', async () => {
  const own = await start({ bindings: { TOKENS: 'one two' }, ratelimits: { RATE_LIMIT: { namespace_id: '1', simple: { limit: 5, period: 60 } } } });
  try {
    const go = (token) => call('/v1/detect', 'x', token ? { headers: { authorization: `Bearer ${token}` } } : {}, own);
    assert.equal((await go()).status, 401);
    assert.equal((await go('three')).status, 401);
    assert.equal((await go('one')).status, 200);
    assert.equal((await go('two')).status, 200);
    await go('one');
    const over = await go('one');
    assert.equal(over.status, 429);
    assert.equal(over.headers.get('retry-after'), '60');
    assert.equal((await call('/v1/formats', undefined, {}, own)).status, 200);
  } finally {
    await own.stop();
  }
});

test('KF-151: the build fails above the size of the platform', (t) => {
  const size = measure();
  t.diagnostic(`${size.compressed} bytes compressed of ${3 << 20}, ${size.plain} plain`);
  assert.throws(() => measure(dist, size.compressed - 1), /the platform takes/);
});

test('KF-152: loading does no work', async (t) => {
  // Loading is the module's top level and its imports; the program starts with the first request.
  const script = [{ type: 'ESModule', path: 'entry.js', contents: `
    const before = performance.now();
    const worker = (await import('./worker.js')).default;
    export default { fetch: (r, env, ctx) => new URL(r.url).pathname === '/loaded' ? new Response('ok') : worker.fetch(r, env, ctx) };
  ` }, ...modules()];
  const times = [];
  for (let i = 0; i < 2; i++) {
    const own = await start({ script });
    try {
      const pid = workerdPid();
      await call('/loaded', undefined, {}, own);
      const cpu = () => { const f = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' '); return (Number(f[11]) + Number(f[12])) * 10; };
      const a = cpu();
      await call('/healthz', undefined, {}, own);
      times.push(cpu() - a);
      assert.equal(own.lines.filter((l) => l.includes('"instance')).length, 0);
    } finally {
      await own.stop();
    }
  }
  t.diagnostic(`CPU of the first request, the program's start included: ${times.join(', ')} ms (the platform gives 400 to loading alone)`);
  assert.ok(!readFileSync(join(dist, 'worker.js'), 'utf8').includes('new WebAssembly'), 'nothing is instantiated at the top level');
});

test('the loader is of the toolchain that compiled the program', () => {
  assert.equal(readFileSync(join(dist, 'go.js'), 'utf8'), loader());
  assert.match(readFileSync(join(root, 'wrangler.jsonc'), 'utf8'), /"main": "dist\/worker.js"/);
});
