import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { card, cardPNG, noise } from './files.mjs';
import { modules, start } from './harness.mjs';

const OBJECTS = Number(process.env.BULK_OBJECTS ?? 2000);

// The Worker with a bucket and a queue that fail: every eleventh read or write, every seventh batch after its work was
// done, and every message of some batches sent twice. All by counters.
const chaos = `
import worker from './worker.js';
let ops = 0, sends = 0, batches = 0;
const flaky = (bucket) => new Proxy(bucket, { get(target, name) {
  const f = target[name];
  if (typeof f !== 'function') return f;
  return async (...args) => {
    const n = ++ops;
    if (n % 11 === 0 && name !== 'list') throw new Error('injected: ' + String(name));
    const r = await f.apply(target, args);
    if (n % 37 === 0 && name === 'put') throw new Error('injected after put');
    return r;
  };
} });
const twice = (queue) => ({
  send: (...a) => queue.send(...a),
  sendBatch: async (list, ...a) => { await queue.sendBatch(list, ...a); if (++sends % 4 === 0) await queue.sendBatch(list, ...a); },
});
export default {
  fetch: (r, env, ctx) => worker.fetch(r, env, ctx),
  async queue(batch, env, ctx) {
    const calm = batch.queue.endsWith('-dead');
    await worker.queue(batch, { ...env, BUCKET: calm ? env.BUCKET : flaky(env.BUCKET), QUEUE: twice(env.QUEUE) }, ctx);
    // Done, but the platform does not learn of it: all of the batch comes again.
    if (!calm && ++batches % 7 === 0) throw new Error('injected after the batch');
  },
};`;

const s = await start({
  script: [{ type: 'ESModule', path: 'chaos.js', contents: chaos }, ...modules()],
  bindings: { TOKENS: 'secret', BULK_POLL: '1' },
  r2Buckets: { BUCKET: 'cards' },
  queueProducers: { QUEUE: { queueName: 'bunzai' } },
  queueConsumers: {
    bunzai: { maxBatchSize: 50, maxBatchTimeout: 0.2, maxRetries: 8, deadLetterQueue: 'bunzai-dead' },
    'bunzai-dead': { maxBatchSize: 20, maxBatchTimeout: 0.2, maxRetries: 20 },
  },
});
after(() => s.stop());

const jobs = (init) => fetch(`${s.url}/v1/jobs${init?.query ?? ''}`, { headers: { authorization: 'Bearer secret' }, ...init });
const sha = (b) => createHash('sha256').update(b).digest('hex');

test('a bucket of objects converts through the queue: nothing lost, nothing converted into different bytes', async (t) => {
  const bucket = await s.mf.getR2Bucket('BUCKET');
  const refused = new Set();
  const source = (i) => {
    if (i % 50 === 7) return Buffer.from(`no card ${i}`);
    const json = card({ name: `Card ${i % 300}`, description: `Text ${i % 300}` }); // many objects of the same content
    return i % 3 ? json : cardPNG(json);
  };
  for (let i = 0; i < OBJECTS; i += 50) {
    await Promise.all(Array.from({ length: Math.min(50, OBJECTS - i) }, (_, k) => {
      const key = `in/${String(i + k).padStart(5, '0')} é.${(i + k) % 3 ? 'json' : 'png'}`;
      if ((i + k) % 50 === 7) refused.add(key);
      return bucket.put(key, source(i + k));
    }));
  }
  const job = { from: 'in/', out: 'out/', to: 'lumiverse' };
  assert.equal((await fetch(`${s.url}/v1/jobs`, { method: 'POST', body: JSON.stringify(job) })).status, 401);
  for (const bad of ['x', '[]', JSON.stringify({ ...job, out: 'in/out/' }), JSON.stringify({ ...job, To: 1 }), JSON.stringify({ from: 'in/', out: 'o/' })]) {
    assert.equal((await jobs({ method: 'POST', body: bad })).status, 400, bad);
  }
  const began = performance.now();
  assert.equal((await jobs({ method: 'POST', body: JSON.stringify(job) })).status, 202);
  assert.equal((await jobs({ method: 'POST', body: JSON.stringify({ ...job, to: 'sillytavern' }) })).status, 409);
  const wait = async () => {
    for (let i = 0; i < 600; i++) {
      const res = await jobs({ query: '?out=out/' }).catch((e) => { t.diagnostic(`status: ${e.cause}`); return null; });
      const state = res?.ok ? await res.json() : {};
      if (state.manifest) return state;
      await new Promise((r) => setTimeout(r, 500));
    }
    throw new Error(`not done: ${JSON.stringify(await (await jobs({ query: '?out=out/' })).json())}; ${s.lines.slice(-5)}`);
  };
  const state = await wait();
  t.diagnostic(`${OBJECTS} objects in ${((performance.now() - began) / 1000).toFixed(1)} s: ${JSON.stringify(state)}; ${s.lines.filter((l) => l.includes('"retry"')).length} retries`);
  assert.equal(state.listed, OBJECTS);
  assert.equal(state.done + state.refused + state.failed, OBJECTS, 'nothing is lost');
  assert.equal(state.refused, refused.size);
  const check = async () => {
    const manifest = await (await bucket.get('out/manifest.json')).json();
    const items = (await Promise.all(manifest.pages.map(async (p) => (await bucket.get(p)).json()))).flat();
    assert.equal(new Set(items.map((x) => x.key)).size, OBJECTS);
    const byContent = new Map();
    const sums = new Map();
    for (let i = 0; i < items.length; i += 40) {
      await Promise.all(items.slice(i, i + 40).filter((x) => x.file).map(async (x) => {
        sums.set(x.file, sha(Buffer.from(await (await bucket.get(x.file)).arrayBuffer())));
      }));
    }
    for (const x of items) {
      assert.equal(x.status === 'refused', refused.has(x.key), x.key);
      if (x.status === 'refused') assert.equal(x.problem.code, 'not-recognized');
      if (x.status !== 'done') continue;
      assert.equal(x.report.counts.lost, 0);
      assert.equal(sums.get(x.file), x.sha256, 'the bucket holds what the manifest says');
      assert.equal(byContent.get(x.source) ?? x.sha256, x.sha256, 'the same content becomes the same bytes');
      byContent.set(x.source, x.sha256);
    }
    return { byContent, failed: items.filter((x) => x.status === 'failed').length };
  };
  const first = await check();
  // Once more, for what failed for good. What is done stays as it is.
  const before = new Map((await bucket.list({ prefix: 'out/files/' })).objects.map((o) => [o.key, o.etag]));
  assert.equal((await jobs({ method: 'POST', body: JSON.stringify(job) })).status, 202);
  await new Promise((r) => setTimeout(r, 500));
  const again = await wait();
  const second = await check();
  t.diagnostic(`failed for good: ${first.failed}, after a second run: ${second.failed}`);
  assert.equal(again.done + again.refused + again.failed, OBJECTS);
  for (const [k, v] of first.byContent) assert.equal(second.byContent.get(k), v);
  for (const o of (await bucket.list({ prefix: 'out/files/' })).objects) assert.equal(o.etag, before.get(o.key) ?? o.etag);
});

test('an object above the limit is refused without being read', async () => {
  const bucket = await s.mf.getR2Bucket('BUCKET');
  await bucket.put('big/a.charx', noise(25 << 20));
  assert.equal((await jobs({ method: 'POST', body: JSON.stringify({ from: 'big/', out: 'bigout/', to: 'lumiverse' }) })).status, 202);
  for (let i = 0; i < 200; i++) {
    const state = await (await jobs({ query: '?out=bigout/' })).json();
    if (state.manifest) {
      assert.equal(state.refused, 1);
      return;
    }
    await new Promise((r) => setTimeout(r, 250));
  }
  assert.fail('not done');
});
