// The packed package in Chromium: without a bundler, and built by Vite, webpack and esbuild; in the page, in a Web Worker of
// the app's own, and as a pool (KF-138, KF-154, KF-156).
import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { chromium, examples, project, sample } from './kit.mjs';

const TYPES = { html: 'text/html', js: 'text/javascript', mjs: 'text/javascript', wasm: 'application/wasm', png: 'image/png', charx: 'application/zip' };

/** Serves folders by the first part of the path. `wrong` gives the engine another media type. */
async function serveFolders() {
  const dirs = new Map();
  const server = createServer((req, res) => {
    const [, name, ...rest] = decodeURIComponent(new URL(req.url, 'http://x').pathname).split('/');
    const file = join(dirs.get(name) ?? '/nowhere', ...rest);
    let type = TYPES[file.split('.').pop()];
    if (name.startsWith('wrong') && file.endsWith('.wasm')) type = 'application/octet-stream';
    if (!dirs.has(name) || !type || !existsSync(file)) return res.writeHead(404).end('not here');
    res.writeHead(200, { 'content-type': type, 'content-security-policy': "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; worker-src 'self'" }).end(readFileSync(file));
  });
  await new Promise((r) => server.listen(0, '127.0.0.1', r));
  return { dirs, base: `http://127.0.0.1:${server.address().port}`, close: () => { server.close(); server.closeAllConnections(); } };
}

/** What every build runs. What differs: how the engine, the pool's workers and the app's own worker are found. */
const app = ({ imports = '', init = '', pool = '{ size: 2 }', worker = "new Worker(new URL('./task.js', import.meta.url), { type: 'module' })" } = {}) => `
import { BunzaiError, convert, detect, formats, inspect, openLibrary } from 'bunzai';
import { createPool } from 'bunzai/worker';
${imports}
async function main() {
  ${init}
  const out = {};
  const card = await (await fetch('card.png')).blob();
  const bytes = new Uint8Array(await card.arrayBuffer());
  const same = async (data) => { const b = new Uint8Array(await new Response(data).arrayBuffer()); return b.length === bytes.length && b.every((x, i) => x === bytes[i]); };
  out.fetched = (await detect(await fetch('card.png'))).format.app;
  out.formats = (await formats()).length > 3;
  const i = await inspect(card);
  out.picture = i.portrait.data instanceof Blob;
  const a = await convert(card, { to: 'sillytavern' });
  out.blob = a.data instanceof Blob && await same(a.data);
  const b = await convert(bytes, { to: 'sillytavern' });
  out.bytes = b.data instanceof Uint8Array && await same(b.data);
  const c = await convert(new File([card], 'x.png'), { to: 'sillytavern', output: 'stream' });
  out.stream = c.data instanceof ReadableStream && await same(c.data);
  out.chained = await same((await convert((await convert(card, { to: 'sillytavern', output: 'stream' })).data, { to: 'sillytavern' })).data);
  const stages = new Set();
  await convert(card, { to: 'lumiverse', onProgress: (p) => stages.add(p.stage) });
  out.progress = [...stages].join();
  out.cancelled = await detect(card, { signal: AbortSignal.abort() }).catch((e) => e instanceof BunzaiError && e.code);
  out.path = await detect('card.png').catch((e) => e.code + (e.message.includes('fetch') ? ' fetch' : ''));
  const pool = createPool(${pool});
  const all = await Promise.all(Array.from({ length: 6 }, () => pool.convert(card, { to: 'sillytavern' })));
  out.pool = all.every((r) => r.data instanceof Blob) && await same(all[5].data);
  out.poolPicture = (await pool.inspect(card)).portrait.data instanceof Blob;
  const stop = new AbortController();
  const stopped = pool.convert(bytes, { to: 'lumiverse', signal: stop.signal });
  setTimeout(() => stop.abort());
  out.poolCancelled = await stopped.then(() => 'cancelled', (e) => e.code);
  out.poolAfter = (await pool.detect(bytes)).format.app;
  out.library = await shelve(await openLibrary({ name: 'a ' + location.pathname }), card, same);
  out.poolLibrary = await shelve(await pool.openLibrary({ name: 'b ' + location.pathname }), card, same);
  await pool.close();
  out.kept = (await (await openLibrary({ name: 'b ' + location.pathname })).list()).map((x) => x.kind + '/' + x.id).join();
  const worker = ${worker};
  out.worker = await new Promise((resolve, reject) => {
    worker.onmessage = (e) => resolve(e.data);
    worker.onerror = (e) => reject(new Error('the worker: ' + e.message));
    worker.postMessage(card);
  });
  return out;
}
/** A card goes into a library twice and comes out; its books are linked anew. */
async function shelve(library, card, same) {
  const [first] = await library.import(card);
  const [again] = await library.import(new File([card], 'x.png'));
  const hero = first.primary;
  const world = new Blob([JSON.stringify({ name: 'World', entries: { 0: { uid: 0, key: ['a'], comment: '', content: 'A', order: 1, position: 0 } } })]);
  const [book] = await library.import(world);
  const back = await library.export(hero, { to: 'sillytavern' });
  const attached = await library.attach(hero, book.primary, { at: 0 });
  const shown = await library.show(hero, { assets: true });
  await library.delete(book.primary);
  const missing = await library.export(hero, { to: 'lumiverse' }).catch((e) => e instanceof BunzaiError && e.code);
  const left = await library.detach(hero, book.primary);
  const bytes = await library.export(hero, { to: 'lumiverse', output: 'bytes' });
  const wrong = await library.show({ kind: 'hero', id: 'x' }).catch((e) => e.code);
  return [
    first.primary.how, again.primary.how, again.primary.id === hero.id, back.data instanceof Blob && await same(back.data),
    attached.length === first.links.length + 1 && attached[0].id === book.primary.id, shown.links.length === attached.length && shown.portrait.data instanceof Blob,
    missing, left.length === first.links.length, bytes.data instanceof Uint8Array, wrong, (await library.list({ kind: 'lorebook' })).length === first.related.length,
  ].join(' ');
}
globalThis.result = main().then((out) => ({ out }), (e) => ({ error: String(e?.stack ?? e) }));
`;
const task = (from = 'bunzai') => `
import { convert } from '${from}';
onmessage = async (e) => {
  try {
    const { data, report } = await convert(e.data, { to: 'lumiverse', onProgress() {} });
    postMessage(data instanceof Blob && data.size > 0 && report.to.app);
  } catch (x) { postMessage('failed: ' + x.message); }
};`;
const SHELVED = 'created shared true true true true no-piece true true bad-argument true';
const KEPT = 'lorebook/wood,character/fay';
const right = {
  fetched: 'sillytavern', formats: true, picture: true, blob: true, bytes: true, stream: true, chained: true, progress: 'read,write', cancelled: 'cancelled',
  path: 'bad-argument fetch', pool: true, poolPicture: true, poolCancelled: 'cancelled', poolAfter: 'sillytavern', worker: 'lumiverse',
  library: SHELVED, poolLibrary: SHELVED, kept: KEPT,
};
const html = (script) => `<!doctype html><meta charset="utf-8"><title>t</title>${script}`;

/** KF-154: nothing of Node in what a browser gets. */
function pure(dir) {
  const scripts = readdirSync(dir, { recursive: true }).filter((n) => /\.m?js$/.test(n));
  assert.ok(scripts.length > 0);
  for (const n of scripts) {
    const text = readFileSync(join(dir, n), 'utf8');
    // As free names; the Go loader has properties of its own stand-in called fs and process.
    const found = text.match(/.{0,40}(?:node:|\bBuffer\b|vite-browser-external|worker_threads|(?<![.\w$"'`]\s*)\b(?:process|require)\s*[.(]|from\s*["'](?:fs|path|os|url|process)["']).{0,40}/);
    assert.equal(found?.[0], undefined, n);
  }
}

describe('Chromium', () => {
  let browser, site;
  before(async () => {
    [browser, site] = [await chromium(), await serveFolders()];
  });
  after(async () => {
    site?.close();
    await browser?.close();
  });

  const cards = (dir) => cpSync(sample('both-same.png'), join(dir, 'card.png'));
  const page = async () => {
    const p = await browser.newPage();
    p.setDefaultTimeout(300_000);
    return p;
  };
  async function check(name, dir) {
    cards(dir);
    site.dirs.set(name, dir);
    const p = await page();
    const said = [];
    p.on('console', (m) => said.push(m.text()));
    p.on('pageerror', (e) => said.push(String(e)));
    try {
      await p.goto(`${site.base}/${name}/index.html`);
      const r = await p.evaluate(() => globalThis.result ?? { error: 'the script did not run' });
      assert.equal(r.error, undefined, said.join('\n'));
      assert.deepEqual(r.out, right);
      assert.deepEqual(await p.evaluate(() => ['Go', 'fs', 'process', 'Buffer', 'require', '__bunzai', '__bunzaiReady'].filter((n) => n in globalThis)), []);
      assert.deepEqual(said.filter((t) => !/favicon|404/.test(t)), []);
    } finally {
      await p.close();
    }
  }

  const map = '<script type="importmap">{"imports":{"bunzai":"./node_modules/bunzai/dist/index.js","bunzai/worker":"./node_modules/bunzai/dist/worker.js"}}</script>';
  const plain = () => project({ 'index.html': html(`${map}<script type="module" src="app.js"></script>`), 'app.js': app(), 'task.js': task('./node_modules/bunzai/dist/index.js') });

  test('without a bundler', () => check('plain', plain()));
  test('without a bundler, the engine served with a wrong media type', () => check('wrong', plain()));

  test('README: a library', async () => {
    const { code } = examples().find((e) => e.run === 'library');
    const dir = project({
      'index.html': html(`${map}<script type="module" src="app.js"></script>`), 'keep.js': code.replace("'bunzai'", "'./node_modules/bunzai/dist/index.js'"),
      'app.js': "import { keep } from './keep.js'; globalThis.result = (async () => { const r = await keep(await (await fetch('card.png')).blob()); return r.data instanceof Blob && r.fileName; })();",
    });
    cards(dir);
    site.dirs.set('library', dir);
    const p = await page();
    const said = [];
    p.on('console', (m) => said.push(m.text()));
    await p.goto(`${site.base}/library/index.html`);
    assert.match(await p.evaluate(() => globalThis.result), /\.(png|charx)$/);
    assert.match(said.join('\n'), /created/);
    await p.close();
  });

  test('README: the page', async () => {
    const { code } = examples().find((e) => e.run === 'browser');
    const dir = project({ 'index.html': html(code) });
    site.dirs.set('readme', dir);
    const p = await page();
    await p.goto(`${site.base}/readme/index.html`);
    const input = await p.$('#file');
    await input.uploadFile(sample('full.charx'));
    const link = await p.waitForSelector('a[download]');
    assert.match(await link.evaluate((a) => a.download), /\.png$/);
    assert.ok(await link.evaluate(async (a) => (await (await fetch(a.href)).blob()).size) > 100);
    await p.close();
  });

  test('Vite', async () => {
    const dir = project({ 'index.html': html('<script type="module" src="./app.js"></script>'), 'app.js': app(), 'task.js': task() });
    const { build } = await import('vite');
    await build({ root: dir, configFile: false, logLevel: 'error', base: './', build: { outDir: 'out', target: 'es2022' }, worker: { format: 'es' } });
    pure(join(dir, 'out'));
    await check('vite', join(dir, 'out'));
  });

  test('webpack', async () => {
    const dir = project({ 'app.js': app(), 'task.js': task() });
    const { default: webpack } = await import('webpack');
    const stats = await new Promise((resolve, reject) => webpack({
      context: dir, mode: 'production', entry: './app.js', output: { path: join(dir, 'out'), filename: 'main.js', publicPath: 'auto' }, devtool: false,
    }, (e, s) => (e ? reject(e) : resolve(s))));
    assert.deepEqual(stats.toJson({ all: false, errors: true }).errors, []);
    writeFileSync(join(dir, 'out', 'index.html'), html('<script defer src="main.js"></script>'));
    pure(join(dir, 'out'));
    await check('webpack', join(dir, 'out'));
  });

  test('esbuild', async () => {
    const dir = project({
      'app.js': app({
        imports: "import { init } from 'bunzai';\nimport wasm from 'bunzai/engine.wasm';", init: 'await init({ wasm });',
        pool: "{ size: 2, wasm, worker: () => new Worker('pool.js', { type: 'module' }) }", worker: "new Worker('task.js', { type: 'module' })",
      }),
      'task.js': `import { init } from 'bunzai';\nimport wasm from 'bunzai/engine.wasm';\ninit({ wasm });\n${task()}`,
      'pool.js': "import 'bunzai/worker-script';",
      'readme.js': `globalThis.result = (async () => { const console = { log: (x) => { globalThis.app = x; } };\n${examples().find((e) => e.run === 'esbuild').code.replace(/^import .*$/gm, '')} return globalThis.app; })();`,
    });
    const readme = join(dir, 'readme.js');
    writeFileSync(readme, `import { detect, init } from 'bunzai';\nimport wasm from 'bunzai/engine.wasm';\n${readFileSync(readme, 'utf8')}`);
    const { build } = await import('esbuild');
    await build({ absWorkingDir: dir, entryPoints: ['app.js', 'task.js', 'pool.js', 'readme.js'], outdir: 'out', bundle: true, format: 'esm', target: 'es2022', minify: true, loader: { '.wasm': 'file' }, logLevel: 'error', logOverride: { 'empty-import-meta': 'silent' } });
    pure(join(dir, 'out'));
    writeFileSync(join(dir, 'out', 'index.html'), html('<script type="module" src="app.js"></script>'));
    writeFileSync(join(dir, 'out', 'readme.html'), html('<script type="module" src="readme.js"></script>'));
    await check('esbuild', join(dir, 'out'));
    const p = await page();
    await p.goto(`${site.base}/esbuild/readme.html`);
    assert.equal(await p.evaluate(() => globalThis.result), 'sillytavern');
    await p.close();
  });

  test('a missing engine is named with its address and status', async () => {
    const dir = project({ 'index.html': html(`${map}<script type="module">import { detect } from 'bunzai'; import { createPool } from 'bunzai/worker'; globalThis.result = Promise.all([detect(new Blob(['{}'])), createPool().detect(new Blob(['{}']))].map((p) => p.catch((e) => e.code + ' ' + e.message)));</script>`) });
    const { rmSync } = await import('node:fs');
    rmSync(join(dir, 'node_modules/bunzai/dist/engine.wasm'));
    site.dirs.set('missing', dir);
    const p = await page();
    await p.goto(`${site.base}/missing/index.html`);
    for (const text of await p.evaluate(() => globalThis.result)) assert.match(text, /^internal .*missing\/node_modules\/bunzai\/dist\/engine\.wasm.*404/);
    await p.close();
  });
});
