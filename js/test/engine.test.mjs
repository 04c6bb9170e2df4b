// The built package in Node: node --test. Run `make js` first.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createCipheriv, createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { crc32, deflateSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const dist = (name) => pathToFileURL(join(here, '..', 'dist', name)).href;
const bunzai = await import('bunzai');
const { BunzaiError, convert, detect, formats, init, inspect } = bunzai;

const data = {
  name: 'Sera', description: 'A forest keeper.', personality: 'kind', scenario: '', first_mes: 'Hello \ud83d, traveller.', mes_example: '',
  creator_notes: '', system_prompt: '', post_history_instructions: '', alternate_greetings: ['Hi.'], tags: ['elf'], creator: 'me',
  character_version: '1', extensions: {},
};
const text = (more = {}) => JSON.stringify({ spec: 'chara_card_v2', spec_version: '2.0', data: { ...data, ...more } });
/** A PNG with a card as Risu encrypted it. */
function lockedPNG(json, password) {
  const cipher = createCipheriv('aes-256-gcm', createHash('sha256').update(password).digest(), Buffer.alloc(12));
  const c = Buffer.concat([cipher.update(json), cipher.final(), cipher.getAuthTag()]);
  const text = `rcc||rccv1||${c.toString('base64')}||${createHash('sha256').update(c).digest('hex')}||${Buffer.from('{"usePassword":true}').toString('base64')}`;
  const chunk = (kind, body) => {
    const b = Buffer.concat([Buffer.alloc(4), Buffer.from(kind), body, Buffer.alloc(4)]);
    b.writeUInt32BE(body.length, 0);
    b.writeUInt32BE(crc32(b.subarray(4, -4)), b.length - 4);
    return b;
  };
  const head = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
  return new Uint8Array(Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', head), chunk('IDAT', deflateSync(Buffer.alloc(2))),
    chunk('tEXt', Buffer.from(`chara\0${text}`)), chunk('IEND', Buffer.alloc(0)),
  ]));
}
const bytes = (s) => new TextEncoder().encode(s);
const card = text();

describe('the package', () => {
  test('exports what the types promise', () => {
    assert.deepEqual(Object.keys(bunzai).sort(), ['BunzaiError', 'convert', 'detect', 'formats', 'init', 'inspect', 'memory', 'openLibrary', 'version']);
    const pkg = JSON.parse(readFileSync(join(here, '..', 'package.json'), 'utf8'));
    assert.equal(bunzai.version, pkg.version);
  });

  test('sets no global', async () => {
    await init();
    for (const name of ['Go', 'fs', 'path', '__bunzai', '__bunzaiReady']) assert.equal(name in globalThis, false, name);
  });

  test('the browser entry names no built-in of Node', () => {
    const seen = new Set();
    const walk = (file) => {
      if (seen.has(file)) return;
      seen.add(file);
      const source = readFileSync(new URL(dist(file)), 'utf8');
      assert.doesNotMatch(source, /node:|\brequire\s*\(|\bBuffer\b|from 'fs/, file);
      for (const [, next] of source.matchAll(/from '\.\/([^']+)'/g)) walk(next);
    };
    walk('index.js');
    assert.ok(seen.has('wasm_exec.js'));
  });

  test('the loader is the one of the toolchain that built the engine', async () => {
    const { goVersion } = await import(dist('wasm_exec.js'));
    const out = execFileSync('go', ['env', 'GOVERSION'], { encoding: 'utf8', cwd: here }).trim();
    assert.equal(goVersion, out);
    const root = execFileSync('go', ['env', 'GOROOT'], { encoding: 'utf8', cwd: here }).trim();
    assert.ok(readFileSync(new URL(dist('wasm_exec.js')), 'utf8').includes(readFileSync(join(root, 'lib/wasm/wasm_exec.js'), 'utf8').trimEnd()));
  });
});

describe('calls', () => {
  const inputs = () => [bytes(card), bytes(card).buffer, new Blob([card]), new File([card], 'c.json'), Buffer.from(bytes(card))];

  test('every kind of input', async () => {
    for (const input of inputs()) {
      const d = await detect(input, { name: 'c.json' });
      assert.equal(d.format.app, 'sillytavern');
      assert.equal(d.file.size, bytes(card).length);
      assert.ok(d.bids.length > 0 && d.bids[0].score > 0.5);
      const i = await inspect(input);
      assert.equal(i.pieces[0].name, 'Sera');
      const c = await convert(input, { to: 'sillytavern' });
      const got = c.data instanceof Blob ? new Uint8Array(await c.data.arrayBuffer()) : c.data;
      assert.equal(Buffer.compare(got, bytes(card)), 0, 'unedited and back: the same bytes');
      assert.equal(c.data instanceof Blob, input instanceof Blob);
      assert.equal(c.size, got.length);
      assert.equal(c.fileName, 'Sera.json');
    }
  });

  test('lone surrogates arrive as they are', async () => {
    const i = await inspect(bytes(card));
    assert.ok(i.pieces[0].greetings.some((g) => g.text === data.first_mes));
  });

  test('a dry run has the report and no data', async () => {
    const c = await convert(bytes(card), { to: 'sillytavern', dryRun: true });
    assert.equal(c.data, null);
    assert.equal(c.size, bytes(card).length);
    assert.deepEqual(Object.keys(c.report.counts).sort(), ['carried', 'changed', 'lost', 'parked']);
  });

  test('formats', async () => {
    const list = await formats();
    assert.ok(list.some((f) => f.app === 'sillytavern' && f.kind === 'character' && f.containers.includes('png') && f.fields.length > 5));
  });

  test('wrong arguments are errors that say so', async () => {
    for (const [run, pattern] of [
      [() => detect(), /undefined/],
      [() => detect('card.png'), /there is no file card\.png/],
      [() => detect('https://example.org/card.png'), /a string.*fetch the address/],
      [() => detect(5), /a number/],
      [() => detect(bytes(card), { nmae: 'x' }), /"nmae"/],
      [() => detect(bytes(card), 5), /must be an object/],
      [() => detect(bytes(card), { get name() { throw new Error('boo'); } }), /boo/],
      [() => convert(bytes(card)), /"to" is missing/],
      [() => convert(bytes(card), { to: 'sillytavern', output: 'file' }), /bytes, blob, stream/],
      [() => init({ wsam: 'x' }), /"wsam"/],
    ]) {
      await assert.rejects(run, (e) => {
        assert.ok(e instanceof BunzaiError && e instanceof Error);
        assert.equal(e.name, 'BunzaiError');
        assert.match(e.message, pattern);
        assert.equal(e.limit, null);
        return true;
      });
    }
    for (const options of [undefined, null, {}, { name: undefined }]) {
      assert.doesNotMatch(JSON.stringify(await detect(bytes(card), options)), /undefined/);
    }
  });

  test('failures carry code, place and limit', async () => {
    await assert.rejects(inspect(bytes('only words')), { code: 'not-recognized' });
    await assert.rejects(inspect(new Uint8Array(0)), { code: 'empty' });
    await assert.rejects(convert(bytes(card), { to: 'nowhere' }), { code: 'unknown-target' });
    const deep = bytes('{"spec":"chara_card_v2","data":' + '['.repeat(100_000) + ']'.repeat(100_000) + '}');
    await assert.rejects(inspect(deep), (e) => {
      assert.equal(e.code, 'limit');
      assert.equal(e.limit.name, 'JSONDepth');
      assert.equal(e.limit.value, 512);
      return true;
    });
    assert.equal((await detect(bytes(card))).format.app, 'sillytavern', 'and the next call works');
  });

  test('a card that Risu encrypted opens with its password and stays locked for Risu', async () => {
    const locked = lockedPNG(card, 'Pässwörd');
    assert.equal((await detect(locked)).format?.id, 'risu');
    for (const password of [undefined, 'wrong']) {
      await assert.rejects(inspect(locked, { password }), (e) => e.name === 'BunzaiError' && e.code === 'password' && e.where === 'chunk chara' && !e.message.includes('wrong'));
    }
    const password = 'Pässwörd';
    assert.equal((await inspect(locked, { password })).pieces[0].name, 'Sera');
    assert.deepEqual(Buffer.from((await convert(locked, { to: 'risu', password })).data), Buffer.from(locked));
    await assert.rejects(convert(locked, { to: 'risu', password: 7 }), (e) => e.code === 'bad-argument');
  });

  test('a result stays valid after later calls', async () => {
    const first = await convert(bytes(card), { to: 'sillytavern' });
    const was = JSON.stringify(first.report) + first.data.join();
    const big = bytes(text({ description: 'long '.repeat(1_000_000) }));
    for (let i = 0; i < 5; i++) await convert(big, { to: 'sillytavern' });
    assert.equal(JSON.stringify(first.report) + first.data.join(), was);
  });

  test('many open calls, and calls after a pause', async () => {
    const all = await Promise.all(Array.from({ length: 40 }, (_, i) => inspect(new Blob([text({ name: `n${i}` })]))));
    assert.deepEqual(all.map((i) => i.pieces[0].name), Array.from({ length: 40 }, (_, i) => `n${i}`));
    await new Promise((r) => setTimeout(r, 300));
    assert.equal((await detect(bytes(card))).format.app, 'sillytavern');
  });

  test('ten thousand calls leave nothing behind', async () => {
    const { loadGo } = await import(dist('wasm_exec.js'));
    let engine;
    const world = { ...Object.fromEntries(['Object', 'Array', 'Uint8Array', 'ArrayBuffer', 'Error', 'Promise', 'JSON', 'Date', 'Blob', 'crypto', 'performance', 'TextEncoder', 'TextDecoder'].map((n) => [n, globalThis[n]])), __bunzaiReady: (e) => { engine = e; } };
    const go = new (loadGo(world))();
    const { instance } = await WebAssembly.instantiate(readFileSync(new URL(dist('engine.wasm'))), go.importObject);
    go.run(instance);
    const input = bytes(card);
    const run = async (n) => {
      for (let i = 0; i < n; i++) {
        await engine.convert(input, { to: 'sillytavern' });
        if (i % 10 === 0) await engine.convert(input, { to: 'nowhere' }).catch(() => {});
      }
    };
    await run(1500);
    const handles = go._ids.size, memory = instance.exports.mem.buffer.byteLength;
    await run(10_000);
    // Handles go when Go's collector runs, so the count moves up and down; it does not climb with the calls.
    assert.ok(go._ids.size < handles + 8000, `${handles} handles grew to ${go._ids.size}`);
    assert.ok(instance.exports.mem.buffer.byteLength <= memory + (16 << 20), `${memory} bytes grew to ${instance.exports.mem.buffer.byteLength}`);
  });
});

describe('loading', () => {
  let server, base;
  const wasm = readFileSync(new URL(dist('engine.wasm')));
  before(async () => {
    server = createServer((req, res) => {
      const [, status, type, what] = req.url.split('/').map(decodeURIComponent);
      res.writeHead(Number(status), { 'content-type': type });
      res.end(what === 'wasm' ? wasm : '<!doctype html>not here');
    }).listen(0, '127.0.0.1');
    await new Promise((r) => server.once('listening', r));
    base = `http://127.0.0.1:${server.address().port}`;
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = (status, type, what) => `${base}/${status}/${encodeURIComponent(type)}/${what}`;

  test('from every source and media type', async () => {
    const module = await WebAssembly.compile(wasm);
    for (const source of [url(200, 'application/wasm', 'wasm'), new URL(url(200, 'application/octet-stream', 'wasm')), url(200, 'text/plain', 'wasm'), wasm, module, fetch(url(200, 'application/wasm', 'wasm')), () => wasm]) {
      await init({ wasm: source });
      assert.equal((await detect(bytes(card))).format.app, 'sillytavern');
    }
  });

  test('what is missing is named', async () => {
    const lost = url(404, 'text/html', 'x');
    await assert.rejects(init({ wasm: lost }), (e) => e.message.includes(lost) && e.message.includes('404'));
    await assert.rejects(detect(bytes(card)), /404/, 'and again at the next call');
    await assert.rejects(init({ wasm: url(200, 'text/html', 'x') }), /is not a WebAssembly module but text\/html/);
    await assert.rejects(init({ wasm: url(200, 'application/wasm', 'x') }), /is not a WebAssembly module/);
    await assert.rejects(init({ wasm: 'http://127.0.0.1:9/engine.wasm' }), /could not be fetched/);
    await assert.rejects(init({ wasm: new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]) }), /did not start/);
    await init({ wasm });
    assert.equal((await detect(bytes(card))).format.app, 'sillytavern');
  });

  test('a call under which the engine dies rejects, and the next one gets a fresh engine', async () => {
    const real = WebAssembly.instantiate;
    let memory;
    WebAssembly.instantiate = async (...args) => {
      const r = await real(...args);
      memory = (r.instance ?? r).exports.mem;
      return r;
    };
    try {
      await init({ wasm });
      await detect(bytes(card));
      const broken = memory;
      const open = detect(new Blob([card])); // waits for JavaScript
      new Uint8Array(broken.buffer).fill(0xff, 1 << 16);
      const { log, warn } = console;
      const uncaught = [];
      console.log = console.warn = (...words) => uncaught.push(words);
      const keep = (e) => uncaught.push(e);
      process.on('uncaughtException', keep);
      process.on('unhandledRejection', keep);
      try {
        await assert.rejects(open, { code: 'internal', message: /fresh one/ });
        assert.equal((await detect(bytes(card))).format.app, 'sillytavern');
        assert.notEqual(memory, broken);
      } finally {
        await new Promise((r) => setTimeout(r, 50));
        Object.assign(console, { log, warn });
        process.off('uncaughtException', keep);
        process.off('unhandledRejection', keep);
      }
      assert.deepEqual(uncaught, [], 'nothing escapes, nothing is printed');
    } finally {
      WebAssembly.instantiate = real;
    }
  });

  test('the process ends by itself when nothing is open', () => {
    const program = `import { detect } from 'bunzai'; await new Promise((r) => setTimeout(r, 100)); console.log((await detect(new Blob(['{}']))).file.size);`;
    const p = spawnSync(process.execPath, ['--input-type=module', '-e', program], { cwd: join(here, '..'), encoding: 'utf8', timeout: 20_000 });
    assert.equal(p.status, 0, p.stderr);
    assert.equal(p.stdout.trim(), '2');
  });

  test('without a database there is no library, and the error says where there is one', async () => {
    const { openLibrary } = await import('bunzai');
    await assert.rejects(openLibrary(), (e) => e.name === 'BunzaiError' && e.code === 'unsupported' && /IndexedDB/.test(e.message) && /command line/.test(e.message));
    await assert.rejects(openLibrary({ name: '' }), { code: 'bad-argument' });
    await assert.rejects(openLibrary({ nme: 'x' }), { code: 'bad-argument', message: /openLibrary has: name/ });
  });
});
