// The built page with the real engine (`make page`): real files in, the saved bytes read and checked.
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { download, drop, firefox, has, launchChromium, launchFirefox, open, pick, tempDir, textOf, waitReady, waitText, write } from './browser.mjs';
import { cardIn, cardPNG, payloadIn, readChunks } from './png.mjs';
import { folder, serve } from './server.mjs';

const corpus = folder('../../shared/corpus/');
const skip = existsSync(`${folder('dist')}/engine.wasm`) ? false : 'web/dist holds no engine: run `make page` first';
const sample = `${folder('dist')}/sample.png`;
const LIMIT = 128 * 2 ** 20;

let host, browser, tmp;
before(async () => {
  host = await serve(folder('dist'), { base: '/a/b/' });
  browser = await launchChromium();
  tmp = await tempDir();
});
after(async () => {
  await browser?.close();
  await host?.close();
  await tmp?.remove();
});

async function on(how, work, at = host) {
  const out = await tempDir();
  const p = await open(browser, at.url, { ...how, downloads: out.dir });
  try {
    await work(p.page, out.dir);
    assert.deepEqual(p.seen.errors.filter((e) => !/DISCONNECTED.*favicon/.test(e)), []);
    assert.deepEqual(p.seen.violations, []);
    assert.deepEqual(p.seen.requests.filter((u) => !u.startsWith(at.url) && !u.startsWith('blob:')), []);
  } finally {
    await p.close();
    await out.remove();
  }
}

/** Picks a radio and waits until the save button belongs to it. */
async function choose(page, name, value) {
  await page.click(`input[name="${name}"][value="${value}"]`);
  await page.waitForFunction((n, v) => document.querySelector(`input[name="${n}"]:checked`)?.value === v && document.querySelector('[data-save]'), {}, name, value);
}

const memory = (page) => page.evaluate(() => Number(document.documentElement.dataset.enginePeak));

test('a dropped PNG card comes back as the same card for its own app', { skip }, () => on({}, async (page, out) => {
  await drop(page, [sample]);
  await waitReady(page);
  assert.equal(await textOf(page, '.name'), 'Juniper');
  await choose(page, 'to', 'sillytavern');
  const got = await download(page, out, () => page.click('[data-save]'));
  const was = await readFile(sample);
  assert.deepEqual(payloadIn(got.bytes), payloadIn(was));
  const others = (png) => readChunks(png).filter((c) => c.type !== 'tEXt');
  assert.deepEqual(others(got.bytes), others(was));
  assert.match(got.name, /\.png$/);
}));

test('the file type is a choice: PNG in, JSON out', { skip }, () => on({}, async (page, out) => {
  await drop(page, [sample]);
  await waitReady(page);
  await choose(page, 'to', 'sillytavern');
  await choose(page, 'as', 'json');
  await waitText(page, '.tile-name', '.json');
  const got = await download(page, out, () => page.click('[data-save]'));
  const card = JSON.parse(got.bytes);
  assert.equal(card.data.name, 'Juniper');
  assert.equal(card.data.alternate_greetings.length, 2);
  assert.equal(card.data.character_book.entries.length, 3);
}));

test('every target that is offered can be saved, and chip, report and button agree', { skip }, () => on({}, async (page, out) => {
  await drop(page, [sample]);
  await waitReady(page);
  const apps = await page.$$eval('input[name="to"]', (all) => all.map((e) => e.value));
  assert.ok(apps.length >= 2, apps.join());
  for (const app of apps) {
    await choose(page, 'to', app);
    const got = await download(page, out, () => page.click('[data-save]'));
    assert.ok(got.bytes.includes('Juniper') || cardIn(got.bytes)?.data.name === 'Juniper', `${app} holds the name`);
    const lost = Number(await page.$eval('.counts [data-verdict="lost"] b', (e) => e.textContent));
    assert.equal(/lost/.test(await textOf(page, '.chip:has(:checked) .chip-verdict')), lost > 0, app);
    assert.equal(/losing/.test(await textOf(page, '[data-save]')), lost > 0, app);
  }
  assert.ok((await memory(page)) < LIMIT);
}));

const cards = existsSync(corpus) ? readdirSync(corpus).filter((n) => n.endsWith('.png')) : [];
test('every PNG card of the corpus is shown, and saved for its own app with its payload as it was', { skip: skip || (cards.length ? false : 'no corpus here') }, () => on({}, async (page, out) => {
  await drop(page, cards.map((n) => corpus + n));
  await page.waitForFunction((n) => document.querySelectorAll('.row[data-status="ready"]').length === n, { timeout: 60_000 }, cards.length);
  for (let i = 0; i < cards.length; i++) {
    await page.evaluate((n) => document.querySelectorAll('[data-row]')[n].click(), i);
    await page.waitForFunction((n) => document.querySelectorAll('.row')[n].dataset.current === 'true' && document.querySelector('.chip'), {}, i);
    const own = await page.$$eval('.chip', (all) => all.find((c) => c.textContent.includes('same app'))?.querySelector('input').value);
    assert.ok(own, cards[i]);
    await choose(page, 'to', own);
    if (!(await textOf(page, '.tile-name')).endsWith('.png')) continue;
    const got = await download(page, out, () => page.click('[data-save]'));
    const was = await readFile(corpus + cards[i]);
    for (const key of ['chara', 'ccv3']) assert.deepEqual(payloadIn(got.bytes, key), payloadIn(was, key), `${cards[i]} ${key}`);
  }
  assert.ok((await memory(page)) < LIMIT, `${await memory(page)} bytes`);
}));

test('what is no card is refused in words: empty, a bare picture, cut off, other JSON', { skip }, () => on({}, async (page) => {
  const files = {
    empty: await write(tmp.dir, 'empty.png', ''),
    'no-card': await write(tmp.dir, 'bare.png', cardPNG(undefined)),
    damaged: await write(tmp.dir, 'cut.json', '{"spec":"chara_card_v2","data":{"name":"A'),
    'not-recognized': await write(tmp.dir, 'other.json', '{"hello":[1,2,3]}'),
  };
  for (const [code, path] of Object.entries(files)) {
    await drop(page, [path]);
    await page.waitForSelector(`.problem[data-code="${code}"]`);
    const text = await textOf(page, '.problem p');
    assert.ok(text.length > 15, `${code}: ${text}`);
    assert.doesNotMatch(text, /went wrong|undefined|panic/);
  }
}));

test('works without a network once loaded', { skip }, () => on({}, async (page) => {
  await waitText(page, '.pitch .fine', 'SillyTavern');
  await page.setOfflineMode(true);
  await page.click('.quiet');
  await waitReady(page);
  assert.equal(await textOf(page, '.name'), 'Juniper');
  await page.setOfflineMode(false);
}));

for (const type of ['application/octet-stream', 'text/plain']) {
  test(`the engine starts when served as ${type} (KF-138)`, { skip }, async () => {
    const odd = await serve(folder('dist'), { answer: (p) => (p.endsWith('engine.wasm') ? { type } : null) });
    await on({}, async (page) => {
      await drop(page, [sample]);
      await waitReady(page);
    }, odd);
    await odd.close();
  });
}

for (const [what, answer, says] of [
  ['404 with HTML', { status: 404, type: 'text/html', body: '<h1>Not here</h1>' }, /engine\.wasm\S* answered 404/],
  ['200 with HTML', { status: 200, type: 'text/html', body: '<h1>Hello</h1>' }, /engine\.wasm\S* answered \(200, text\/html\) is not a WebAssembly module/],
]) {
  test(`a missing engine is reported with its address and status: ${what} (KF-139)`, async () => {
    const odd = await serve(folder('dist'), { answer: (p) => (p.endsWith('engine.wasm') ? answer : null) });
    const p = await open(browser, odd.url);
    await p.page.waitForSelector('.empty .problem');
    assert.match(await textOf(p.page, '.empty .problem'), says);
    await drop(p.page, [sample]);
    await p.page.waitForSelector('.card .problem');
    assert.match(await textOf(p.page, '.card .problem'), says);
    await p.close();
    await odd.close();
  });
}

test('Firefox: picked, shown, saved', { skip: skip || (has(firefox) ? false : 'no Firefox here') }, async () => {
  const out = await tempDir();
  const ff = await launchFirefox(out.dir);
  try {
    const page = await ff.newPage();
    const asked = [];
    page.on('request', (r) => asked.push(r.url()));
    await page.setViewport({ width: 1200, height: 900 });
    await page.goto(host.url);
    await page.waitForSelector('[data-picker]');
    await pick(page, sample);
    await waitReady(page);
    assert.equal(await textOf(page, '.name'), 'Juniper');
    await choose(page, 'to', 'sillytavern');
    const got = await download(page, out.dir, () => page.click('[data-save]'));
    assert.deepEqual(payloadIn(got.bytes), payloadIn(await readFile(sample)));
    assert.deepEqual(asked.filter((u) => !u.startsWith(host.url) && !u.startsWith('blob:')), []);
  } finally {
    await ff.close();
    await out.remove();
  }
});
