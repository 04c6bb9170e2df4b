// Every kind of input and output, cancelling, progress, failures of the engine, and the pool: the built package in Node.
import assert from 'node:assert/strict';
import { createReadStream, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { BunzaiError, convert, detect, formats, init, inspect, memory } from 'bunzai';
import { createPool } from 'bunzai/worker';
import { wasmBytes } from 'bunzai/wasm';
import { folder, root, run, sample } from './kit.mjs';

const path = sample('full.charx');
const bytes = new Uint8Array(readFileSync(path));
const whole = async (data) => new Uint8Array(data instanceof Uint8Array ? data : await new Response(data).arrayBuffer());
const same = (a, b, what) => assert.equal(Buffer.compare(a, b), 0, what);
const streamOf = (b, step = 1000) => new ReadableStream({
  start(c) {
    for (let i = 0; i < b.length; i += step) c.enqueue(b.subarray(i, i + step));
    c.close();
  },
});
const calls = { detect, inspect, convert, formats };
let pool;
before(() => { pool = createPool({ size: 2 }); });
after(() => pool.close());

for (const [who, get] of [['in this thread', () => calls], ['in a pool', () => pool]]) {
  describe(who, () => {
    let handle;
    before(async () => { handle = await open(path); });
    after(() => handle.close());
    const inputs = {
      'a Uint8Array': () => bytes,
      'a part of a buffer': () => new Uint8Array([0, ...bytes, 0]).subarray(1, bytes.length + 1),
      'an ArrayBuffer': () => bytes.slice().buffer,
      'a DataView': () => new DataView(bytes.slice().buffer),
      'shared memory': () => { const s = new Uint8Array(new SharedArrayBuffer(bytes.length)); s.set(bytes); return s; },
      'a Blob': () => new Blob([bytes]),
      'a File': () => new File([bytes], 'full.charx'),
      'a Response': () => new Response(bytes),
      'a ReadableStream': () => streamOf(bytes),
      'a stream of Node': () => createReadStream(path, { highWaterMark: 999 }),
      'a generator': () => (async function* () { yield bytes.subarray(0, 10); yield bytes.subarray(10); })(),
      'a path': () => path,
      'a file: URL': () => pathToFileURL(path),
      'a FileHandle': () => handle,
    };

    for (const name of Object.keys(inputs)) {
      test(name, async () => {
        const { convert, detect, inspect } = get();
        assert.equal((await detect(inputs[name]())).file.size, bytes.length);
        assert.ok((await inspect(inputs[name]())).pieces[0].name);
        for (const output of [undefined, 'bytes', 'blob', 'stream']) {
          const c = await convert(inputs[name](), { to: 'risu', output });
          const form = output ?? (/Blob|File$/.test(name) ? 'blob' : 'bytes');
          assert.ok(c.data instanceof { bytes: Uint8Array, blob: Blob, stream: ReadableStream }[form], form);
          if (form === 'blob') assert.equal(c.data.type, c.mediaType);
          const got = await whole(c.data);
          assert.equal(got.length, c.size);
          same(got, bytes, `${form}: unedited and back`);
        }
        assert.equal((await convert(inputs[name](), { to: 'lumiverse', dryRun: true })).data, null);
        assert.ok(bytes.length > 0, 'the input stays the caller\'s');
      });
    }

    test('pictures come as Blobs when asked for', async () => {
      for (const input of [path, bytes]) {
        assert.equal((await get().inspect(input)).portrait.data, null);
        const { portrait } = await get().inspect(input, { assets: true });
        assert.equal((await portrait.data.arrayBuffer()).byteLength, portrait.size);
      }
      assert.ok((await get().inspect(new Blob([bytes]))).portrait.data instanceof Blob);
    });

    test('a report always names its versions', async () => {
      for (const to of ['sillytavern', 'lumiverse', 'bunzai']) {
        const { report } = await get().convert(bytes, { to, allowLoss: true });
        for (const end of [report.from, report.to]) assert.deepEqual([typeof end.variant, typeof end.spec], ['string', 'string']);
      }
    });

    test('failures are the same', async () => {
      const { convert, detect, inspect } = get();
      for (const [run, code, words] of [
        [() => inspect(new TextEncoder().encode('only words')), 'not-recognized', /./],
        [() => inspect(new Uint8Array(0)), 'empty', /empty/],
        [() => convert(bytes, { to: 'nowhere' }), 'unknown-target', /nowhere/],
        [() => convert(bytes, { to: 'sillytavern', output: 'file' }), 'bad-argument', /bytes, blob, stream/],
        [() => convert(bytes, { to: 'sillytavern', contaner: 'png' }), 'bad-argument', /"contaner".*container/],
        [() => detect(bytes, { limits: 'huge' }), 'bad-argument', /card, large, edge/],
        [() => detect('no-such-file'), 'bad-argument', /no file no-such-file/],
        [() => detect('.'), 'bad-argument', /folder/],
        [() => detect(5), 'bad-argument', /a number/],
        [() => detect({ size: 5 }), 'bad-argument', /another object/],
        [() => detect(new Response('x', { status: 404 })), 'bad-argument', /404/],
        [() => detect((() => { const r = new Response('x'); void r.text(); return r; })()), 'bad-argument', /read already/],
        [() => detect((() => { const s = streamOf(bytes); s.getReader(); return s; })()), 'bad-argument', /locked/],
        [() => detect((async function* () { yield 'text'; })()), 'bad-argument', /a string/],
        [() => detect((async function* () { throw new Error('the line is dead'); })()), 'damaged', /the line is dead/],
        [() => detect(bytes, { signal: 5 }), 'bad-argument', /AbortSignal/],
        [() => detect(bytes, { onProgress: 5 }), 'bad-argument', /function/],
      ]) {
        await assert.rejects(run, (e) => {
          assert.ok(e instanceof BunzaiError && e instanceof Error && e.name === 'BunzaiError');
          assert.equal(e.code, code, e.message);
          assert.match(e.message, words);
          assert.equal(e.limit, null);
          return true;
        });
      }
    });

    test('what is over a limit is refused while it arrives, and with the same words as the engine', async () => {
      let asked = 0;
      const endless = new ReadableStream({ pull(c) { asked += 1 << 20; c.enqueue(new Uint8Array(1 << 20)); } });
      await assert.rejects(get().detect(endless, { limits: 'edge' }), (e) => e.code === 'limit' && e.limit.name === 'Archive' && e.limit.value === 24 << 20);
      assert.ok(asked < 32 << 20, `${asked}`);
      const zip = new Uint8Array((24 << 20) + 1);
      zip.set([0x50, 0x4b, 3, 4]);
      const engine = await get().inspect(zip, { limits: 'edge' }).catch((e) => e);
      const ours = await get().inspect(streamOf(zip, 1 << 20), { limits: 'edge' }).catch((e) => e);
      assert.deepEqual({ ...ours.limit, found: 0 }, { ...engine.limit, found: 0 });
      assert.match(ours.message, /the limit Archive is 24 MiB, and this file has more/);
    });

    test('cancelled before, in between, and by its own progress', async () => {
      await assert.rejects(get().detect(bytes, { signal: AbortSignal.abort() }), { code: 'cancelled' });
      for (const input of [path, new Blob([bytes]), streamOf(bytes, 10)]) {
        const stop = new AbortController();
        await assert.rejects(get().convert(input, { to: 'lumiverse', signal: stop.signal, onProgress: ({ stage }) => stage === 'read' && stop.abort(new Error('enough')) }),
          (e) => e.code === 'cancelled' && /enough/.test(e.message) && e.cause.message === 'enough');
      }
      await assert.rejects(get().convert(path, { to: 'lumiverse', onProgress() { throw new Error('oops'); } }), { code: 'cancelled', message: /onProgress threw: oops/ });
      // A read that never answers holds up nobody but its own call.
      const stop = new AbortController();
      const stuck = get().detect(new ReadableStream({ pull: () => new Promise(() => {}) }), { signal: stop.signal });
      assert.equal((await get().detect(bytes)).file.size, bytes.length);
      stop.abort();
      await assert.rejects(stuck, { code: 'cancelled' });
      assert.equal((await get().detect(bytes)).file.size, bytes.length);
    });

    test('progress goes forward and ends', async () => {
      for (const [input, total] of [[bytes, true], [new Blob([bytes]), true], [path, true], [streamOf(bytes, 100), false]]) {
        const told = [];
        const c = await get().convert(input, { to: 'sillytavern', output: 'bytes', onProgress: (p) => told.push(p) });
        const stages = [...new Set(told.map((p) => p.stage))];
        assert.deepEqual(stages, ['load', 'read', 'write'].filter((s) => stages.includes(s)), JSON.stringify(told));
        assert.ok(stages.includes('read') && stages.includes('write'));
        assert.equal(told.at(-1).done, c.size);
        const read = told.filter((p) => p.stage === 'read').map((p) => p.done);
        assert.deepEqual(read, [...read].sort((a, b) => a - b));
        if (total) assert.equal(told.find((p) => p.stage === 'read').total, bytes.length);
        const after = told.length;
        await new Promise((r) => setTimeout(r, 20));
        assert.equal(told.length, after, 'nothing after the end');
      }
    });
  });
}

describe('files', () => {
  test('a large file is read by offset and never whole', async () => {
    const dir = folder();
    const big = join(dir, 'big.charx');
    // 300 MB between the head of the file and the archive: a ZIP may have anything before it.
    const hole = 300 << 20;
    writeFileSync(big, bytes.subarray(0, 0));
    truncateSync(big, hole);
    writeFileSync(big, new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xd9]), { flag: 'r+' });
    writeFileSync(big, bytes, { flag: 'a' });
    let taken = 0;
    const file = await open(big);
    const counting = { fd: file.fd, stat: () => file.stat(), read: async (...a) => { const r = await file.read(...a); taken += r.bytesRead; return r; } };
    const i = await inspect(counting, { limits: 'large' });
    assert.ok(i.pieces[0].name);
    assert.equal(i.file.size, statSync(big).size);
    assert.ok(taken < 8 << 20, `${taken} bytes were read`);
    assert.ok((await memory()) < 64 << 20, `${await memory()} bytes of memory`);
    await file.close();
  });

  test('a file is let go: after the call, after a stream, after a stream that nobody wants', async () => {
    const { readdirSync, readlinkSync } = await import('node:fs');
    if (process.platform !== 'linux') return;
    const held = () => readdirSync('/proc/self/fd').filter((n) => { try { return readlinkSync(`/proc/self/fd/${n}`) === path; } catch { return false; } }).length;
    await detect(path);
    await convert(path, { to: 'nowhere' }).catch(() => {});
    await convert(path, { to: 'lumiverse', output: 'blob' });
    await whole((await convert(path, { to: 'sillytavern', output: 'stream' })).data);
    const { data } = await convert(path, { to: 'sillytavern', output: 'stream' });
    assert.equal(held(), 1);
    await data.cancel();
    assert.equal(held(), 0);
    const file = await open(path);
    await whole((await convert(file, { to: 'sillytavern', output: 'stream' })).data);
    assert.equal((await file.stat()).size, bytes.length, 'the caller\'s FileHandle stays open');
    await file.close();
  });

  test('a file that becomes shorter is an error, not a shorter card', async () => {
    const copy = join(folder(), 'x.charx');
    writeFileSync(copy, bytes);
    const { data } = await convert(copy, { to: 'sillytavern', output: 'stream' });
    truncateSync(copy, 10);
    await assert.rejects(whole(data), /shorter/);
  });
});

describe('the engine', () => {
  after(() => init({ wasm: wasmBytes }));

  test('one instance serves one call at a time, and in order', async () => {
    const order = [];
    await Promise.all(Array.from({ length: 6 }, async (_, n) => {
      await detect(new Blob([bytes]), { onProgress: ({ stage }) => stage === 'read' && order.at(-1) !== n && order.push(n) });
    }));
    assert.deepEqual(order, [0, 1, 2, 3, 4, 5]);
  });

  test('out of memory: the call says so, and the next one gets a fresh engine', async () => {
    const small = withMaximum(await wasmBytes(), 48 << 20);
    await init({ wasm: small });
    const lost = [];
    const keep = (e) => lost.push(e);
    process.on('uncaughtException', keep);
    const { log, warn } = console;
    console.log = console.warn = (...a) => lost.push(a);
    try {
      const card = JSON.stringify({ spec: 'chara_card_v2', spec_version: '2.0', data: { name: 'Big', first_mes: 'x', description: 'long '.repeat(6_000_000) } });
      for (const input of [new TextEncoder().encode(card), new Blob([card])]) {
        const waiting = detect(bytes).catch((e) => e);
        const dying = inspect(input);
        const behind = detect(bytes);
        await assert.rejects(dying, (e) => e.code === 'internal' && /ran out of memory.*fresh one/.test(e.message));
        assert.equal((await waiting).file.size, bytes.length);
        assert.equal((await behind).file.size, bytes.length, 'a call that waited behind it is served');
      }
      await new Promise((r) => setTimeout(r, 50));
      assert.deepEqual(lost, [], 'nothing escapes, nothing is printed');
    } finally {
      Object.assign(console, { log, warn });
      process.off('uncaughtException', keep);
      await init({ wasm: wasmBytes });
    }
  });

  test('a wrong module is named', async () => {
    await assert.rejects(init({ wasm: 5 }), { code: 'bad-argument' });
    await assert.rejects(init({ wasm: new Uint8Array([1, 2, 3]) }), /not a WebAssembly module/);
    await init({ wasm: wasmBytes });
  });
});

/** The module with a bound on its memory: the memory section gets a maximum. */
function withMaximum(wasm, max) {
  const leb = (at) => { let v = 0, s = 0, b; do { b = wasm[at++]; v |= (b & 127) << s; s += 7; } while (b & 128); return [v >>> 0, at]; };
  const toLeb = (v) => { const out = []; do { out.push((v & 127) | (v > 127 ? 128 : 0)); v >>>= 7; } while (v); return out; };
  for (let at = 8; at < wasm.length;) {
    const id = wasm[at];
    const [size, body] = leb(at + 1);
    if (id === 5) {
      const [min] = leb(body + 2);
      const section = [1, 1, ...toLeb(min), ...toLeb(max >> 16)];
      return new Uint8Array([...wasm.subarray(0, at), 5, ...toLeb(section.length), ...section, ...wasm.subarray(body + size)]);
    }
    at = body + size;
  }
  throw new Error('there is no memory section');
}

describe('the pool', () => {
  test('wrong options are named', () => {
    assert.throws(() => createPool({ size: 0 }), { code: 'bad-argument' });
    assert.throws(() => createPool({ szie: 2 }), /"szie"/);
  });

  test('more calls than threads', async () => {
    const all = await Promise.all(Array.from({ length: 30 }, (_, i) => (i % 5 === 4 ? pool.inspect(new Uint8Array(3)).catch((e) => e.code) : pool.inspect(path))));
    all.forEach((r, i) => (i % 5 === 4 ? assert.equal(r, 'not-recognized') : assert.ok(r.pieces[0].name)));
  });

  test('a closed pool takes no more', async () => {
    const p = createPool({ size: 1 });
    const open = [p.detect(path), p.detect(path)].map((c) => c.catch((e) => e.code));
    await new Promise((r) => setImmediate(r));
    await p.close();
    assert.deepEqual(await Promise.all(open), ['cancelled', 'cancelled']);
    await assert.rejects(p.detect(bytes), { code: 'cancelled', message: 'the pool was closed' });
  });

  test('a thread that dies rejects its call; the next one gets a fresh thread', async () => {
    const { Worker } = await import('node:worker_threads');
    let made = 0;
    const script = new URL(import.meta.resolve('bunzai/worker-script'));
    const p = createPool({ size: 1, worker: () => (made++ === 0 ? new Worker('require("node:worker_threads").parentPort.on("message", () => { throw new Error("boo"); })', { eval: true }) : new Worker(script)) });
    await assert.rejects(p.detect(bytes), { code: 'internal', message: /thread stopped.*boo.*fresh/ });
    assert.equal((await p.detect(bytes)).file.size, bytes.length);
    assert.equal(made, 2);
    await p.close();
  });

  test('an engine that runs out of memory is replaced in its thread', async () => {
    const p = createPool({ size: 1, wasm: withMaximum(await wasmBytes(), 48 << 20) });
    await p.detect(bytes);
    const card = JSON.stringify({ spec: 'chara_card_v2', spec_version: '2.0', data: { name: 'Big', first_mes: 'x', description: 'long '.repeat(6_000_000) } });
    await assert.rejects(p.inspect(new TextEncoder().encode(card)), { code: 'internal', message: /ran out of memory.*fresh one/ });
    assert.equal((await p.detect(bytes)).file.size, bytes.length);
    await p.close();
  });

  test('an engine that cannot be loaded is named, and tried again', async () => {
    let n = 0;
    const p = createPool({ size: 1, wasm: () => { if (n++ === 0) throw new Error('not today'); return wasmBytes(); } });
    await assert.rejects(p.detect(bytes), /not today/);
    assert.equal((await p.detect(bytes)).file.size, bytes.length);
    await p.close();
  });

  test('idle threads let the process end', async () => {
    const r = await run(process.execPath, ['--input-type=module', '-e', `import { createPool } from 'bunzai/worker'; const p = createPool({ size: 1 }); console.log((await p.detect(new Uint8Array([123, 125]))).file.size);`], { cwd: root });
    assert.deepEqual([r.code, String(r.stdout)], [0, '2\n'], r.stderr);
  });
});
