// The page's own behaviour, against the stand-in engine (`vite build --mode fake`): states, keys, errors, cancelling.
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { download, drop, launchChromium, open, pick, tempDir, textOf, waitReady, waitText, write } from './browser.mjs';
import { cardIn, cardPNG } from './png.mjs';
import { folder, serve } from './server.mjs';

const card = (name, more = {}) => ({ spec: 'chara_card_v2', spec_version: '2.0', data: { name, first_mes: 'Hello.', alternate_greetings: ['Two.', 'Three.'], ...more } });

let host, browser, tmp;
before(async () => {
  host = await serve(folder('dist-fake'), { base: '/some/path/' });
  browser = await launchChromium();
  tmp = await tempDir();
});
after(async () => {
  await browser?.close();
  await host?.close();
  await tmp?.remove();
});

/** Opens, runs, and holds the page to: no error, no violation, no request elsewhere. */
async function on(how, work) {
  const out = await tempDir();
  const p = await open(browser, host.url, { ...how, downloads: out.dir });
  try {
    await work(p.page, out.dir);
    // Without a network Chromium asks for the icon again at every step of the history; nobody misses it.
    assert.deepEqual(p.seen.errors.filter((e) => !/DISCONNECTED.*favicon/.test(e)), []);
    assert.deepEqual(p.seen.violations, []);
    const elsewhere = p.seen.requests.filter((u) => !u.startsWith(host.url) && !u.startsWith('blob:'));
    assert.deepEqual(elsewhere, []);
  } finally {
    await p.close();
    await out.remove();
  }
}

test('a dropped card is shown and saved, byte for byte what the engine made', () => on({}, async (page, out) => {
  const path = await write(tmp.dir, 'ada.png', cardPNG(card('Ada')));
  await drop(page, [path]);
  await waitReady(page);
  assert.equal(await textOf(page, '.name'), 'Ada');
  assert.match(await textOf(page, '.head .line'), /^SillyTavern · character card V2 · PNG · \d+ bytes$/);
  assert.match(await textOf(page, '[data-save]'), /^Save, losing 1 thing$/);
  const got = await download(page, out, () => page.click('[data-save]'));
  assert.equal(got.name, 'Ada.png');
  assert.deepEqual(got.bytes, await readFile(path));
  assert.equal(cardIn(got.bytes).data.name, 'Ada');
  await waitText(page, '[role=status]', 'Saved Ada.png');
}));

test('several files: rows at once, each with its own state; the drop target shows while a file hangs over the window', () => on({}, async (page) => {
  const paths = [
    await write(tmp.dir, 'one.json', JSON.stringify(card('One'))), await write(tmp.dir, 'empty.png', ''),
    await write(tmp.dir, 'broken.json', '{"data": {'), await write(tmp.dir, 'picture.png', cardPNG(undefined)),
  ];
  const cdp = await page.createCDPSession();
  await cdp.send('Input.dispatchDragEvent', { type: 'dragEnter', x: 5, y: 5, data: { items: [], files: paths, dragOperationsMask: 1 } });
  await page.waitForSelector('.drop-target[data-on="true"]');
  await drop(page, paths);
  await page.waitForSelector('.drop-target[data-on="false"]');
  await page.waitForFunction(() => document.querySelectorAll('.row[data-status="failed"]').length === 3);
  assert.equal((await page.$$('.row')).length, 4);
  await page.click('[data-row]');
  await waitReady(page);
  assert.equal(await textOf(page, '.name'), 'One');
  await page.evaluate(() => document.querySelectorAll('[data-row]')[2].click());
  await page.waitForSelector('.problem[data-code="damaged"]');
}));

test('pasted JSON text and the file picker work like a drop', () => on({}, async (page) => {
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.setData('text/plain', text);
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
  }, JSON.stringify(card('Pasted')));
  await waitReady(page);
  assert.equal(await textOf(page, '.name'), 'Pasted');
  await pick(page, await write(tmp.dir, 'picked.json', JSON.stringify(card('Picked'))));
  await waitText(page, '.name', 'Picked');
}));

test('the sample opens by its link, also without a network', () => on({}, async (page) => {
  await page.waitForFunction(() => performance.getEntriesByType('resource').filter((e) => e.name.endsWith('sample.png')).length > 0);
  await waitText(page, '.pitch .fine', 'SillyTavern');
  await page.setOfflineMode(true);
  await page.click('.quiet');
  await waitReady(page);
  assert.equal(await textOf(page, '.name'), 'Juniper');
  assert.equal((await page.$$('#tab-lorebook'))?.length, 1);
  await page.setOfflineMode(false);
}));

test('limits: refused with numbers, opened with large limits by one button', () => on({}, async (page) => {
  await drop(page, [await write(tmp.dir, 'limit-big.json', JSON.stringify(card('Big')))]);
  await page.waitForSelector('.problem[data-code="limit"]');
  const text = await textOf(page, '.problem');
  assert.match(text, /2,114/);
  assert.match(text, /512/);
  await page.click('.problem .primary');
  await waitReady(page);
  assert.equal(await textOf(page, '.name'), 'Big');
}));

test('a locked card asks for its password, says a wrong one, and opens and saves with the right one', () => on({}, async (page, out) => {
  await drop(page, [await write(tmp.dir, 'locked-rin.json', JSON.stringify(card('Rin')))]);
  await page.waitForSelector('.problem[data-code="password"] input[type="password"]');
  assert.equal(await textOf(page, '.problem h3'), 'This card is locked');
  assert.equal(await page.$eval('.unlock input', (i) => i.labels[0].textContent), 'Password of the card');
  await page.focus('.unlock input');
  await page.keyboard.type('wrong');
  await page.keyboard.press('Enter');
  await waitText(page, '.problem', 'does not open');
  await page.waitForFunction(() => document.activeElement?.matches('.unlock input[aria-invalid="true"]'));
  assert.equal(await page.$eval('.unlock input', (i) => i.value), '');
  await page.keyboard.type('sesame');
  await page.keyboard.press('Enter');
  await waitReady(page);
  assert.equal(await textOf(page, '.name'), 'Rin');
  await page.waitForFunction(() => document.activeElement?.matches('article.card'));
  assert.ok(!page.url().includes('sesame'));
  const got = await download(page, out, () => page.click('[data-save]'));
  assert.equal(JSON.parse(got.bytes.toString()).data.name, 'Rin');
}));

test('would-lose: said before, saved only with "Save anyway"', () => on({}, async (page, out) => {
  await drop(page, [await write(tmp.dir, 'lossy-x.json', JSON.stringify(card('Lossy')))]);
  await waitReady(page);
  await waitText(page, '.chip', 'drops content');
  await page.click('input[value="bunzai"]');
  await page.waitForSelector('.problem[data-code="would-lose"]');
  assert.match(await textOf(page, '[data-save]'), /^Save anyway/);
  const got = await download(page, out, () => page.click('[data-save]'));
  assert.equal(JSON.parse(got.bytes).data.name, 'Lossy');
}));

test('progress and cancel: a file that takes long can be stopped, others are read, and it can be read again', () => on({}, async (page) => {
  const hang = await write(tmp.dir, 'hang-a.json', JSON.stringify(card('Hang')));
  const other = await write(tmp.dir, 'other.json', JSON.stringify(card('Other')));
  await drop(page, [hang, other]);
  await page.waitForSelector('.row .progress');
  await page.click('.row[data-status="reading"] .bare');
  await page.waitForSelector('.row[data-status="failed"]');
  await page.waitForSelector('.row[data-status="ready"]');
  await page.waitForSelector('.problem[data-code="cancelled"] .primary');
}));

test('a crash of the engine is told in plain words and the next file gets a fresh one', () => on({}, async (page) => {
  await drop(page, [await write(tmp.dir, 'crash-a.json', JSON.stringify(card('Crash'))), await write(tmp.dir, 'fine.json', JSON.stringify(card('Fine')))]);
  await page.waitForSelector('.problem[data-code="internal"]');
  assert.match(await textOf(page, '.problem'), /memory/);
  await page.waitForSelector('.row[data-status="ready"]');
  await page.evaluate(() => document.querySelectorAll('[data-row]')[1].click());
  await waitReady(page);
}));

test('keyboard only: from the first screen to a saved file', () => on({}, async (page, out) => {
  const tabTo = async (selector) => {
    for (let i = 0; i < 40; i++) {
      if (await page.evaluate((s) => document.activeElement?.matches(s) ?? false, selector)) return;
      await page.keyboard.press('Tab');
    }
    assert.fail(`Tab never reached ${selector}`);
  };
  await tabTo('.quiet');
  await page.keyboard.press('Enter');
  await waitReady(page);
  await page.keyboard.press('Escape');
  assert.ok(await page.evaluate(() => document.activeElement?.matches('[data-row]')));
  await tabTo('.chip input');
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => location.hash.includes('to=sillytavern'));
  await waitText(page, '[data-save]', 'Save');
  await page.keyboard.press('ArrowLeft');
  await page.waitForFunction(() => location.hash.includes('to=lumiverse'));
  const got = await download(page, out, () => page.keyboard.press('Enter'));
  assert.ok(got.bytes.length > 1000);
  await tabTo('[role=tab]');
  await page.keyboard.press('ArrowRight');
  await page.waitForSelector('.greetings');
  await tabTo('.greetings');
  await page.keyboard.press('ArrowRight');
  await waitText(page, '.pager-count', '2 of 3');
  await page.focus('#tab-greetings');
  await page.keyboard.press('ArrowRight');
  await page.waitForSelector('.entries');
  await page.focus('#panel');
  await page.keyboard.press('/');
  assert.ok(await page.evaluate(() => document.activeElement?.matches('.lorebook input')));
  await page.keyboard.type('ledger');
  await waitText(page, '.lore-head', '1 of 3 entries');
}));

test('arrows go through the files; "/" finds one', () => on({}, async (page) => {
  const names = ['A', 'B', 'C', 'D', 'E', 'F', 'G'];
  const paths = [];
  for (const n of names) paths.push(await write(tmp.dir, `${n}.json`, JSON.stringify(card(`Card ${n}`))));
  await drop(page, paths);
  await page.waitForFunction(() => document.querySelectorAll('.row[data-status="ready"]').length === 7);
  await page.focus('[data-row]');
  await page.keyboard.press('ArrowDown');
  await waitText(page, '.name', 'Card B');
  await page.keyboard.press('End');
  await waitText(page, '.name', 'Card G');
  await page.keyboard.press('/');
  await page.keyboard.type('card c');
  await page.waitForFunction(() => document.querySelectorAll('.row').length === 1);
  await page.keyboard.press('ArrowDown');
  await waitText(page, '.name', 'Card C');
}));

test('narrow: list, then card; the back button, Esc and the browser\'s Back return', () => on({ width: 375, height: 760, touch: true }, async (page) => {
  await drop(page, [await write(tmp.dir, 'n1.json', JSON.stringify(card('First'))), await write(tmp.dir, 'n2.json', JSON.stringify(card('Second')))], { x: 100, y: 300 });
  await page.waitForFunction(() => document.querySelectorAll('.row[data-status="ready"]').length === 2);
  assert.equal(await page.$('.card'), null);
  const openFirst = async () => {
    await page.click('[data-row]');
    await waitText(page, '.name', 'First');
  };
  const isList = () => page.waitForFunction(() => !document.querySelector('.card'));
  await openFirst();
  await page.click('.back');
  await isList();
  await openFirst();
  await page.goBack();
  await isList();
  await openFirst();
  await page.keyboard.press('Escape');
  await isList();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 375, `scrolls sideways: ${wide}`);
}));

test('320 px does not scroll sideways, in any state', () => on({ width: 320, height: 640 }, async (page) => {
  const fits = async (state) => assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 320), `${state} scrolls sideways`);
  await fits('empty');
  await page.click('.quiet');
  await waitReady(page);
  await fits('ready');
  await page.click('.fold');
  await fits('report');
  for (const tab of ['greetings', 'lorebook', 'pictures']) {
    await page.click(`#tab-${tab}`);
    await fits(tab);
  }
}));

test('choices live in the address and survive a reload', () => on({}, async (page) => {
  await page.click('.quiet');
  await waitReady(page);
  await page.click('input[value="sillytavern"]');
  await page.waitForSelector('input[name="spec"]');
  await page.click('input[name="spec"][value="v3"]');
  await page.click('#tab-lorebook');
  await page.reload();
  await page.waitForSelector('.quiet');
  await page.click('.quiet');
  await waitReady(page);
  assert.ok(await page.$eval('input[value="sillytavern"]', (e) => e.checked));
  assert.ok(await page.$eval('input[name="spec"][value="v3"]', (e) => e.checked));
  assert.equal(await page.$eval('[aria-selected="true"]', (e) => e.id), 'tab-lorebook');
}));

test('pictures are blob addresses and are released when out of sight; saved addresses are released late (KF-137)', () => on({}, async (page, out) => {
  await page.evaluateOnNewDocument(() => {
    globalThis.urls = { made: [], gone: [] };
    const make = URL.createObjectURL.bind(URL), drop = URL.revokeObjectURL.bind(URL);
    URL.createObjectURL = (b) => {
      const u = make(b);
      globalThis.urls.made.push(u);
      return u;
    };
    URL.revokeObjectURL = (u) => {
      globalThis.urls.gone.push(u);
      drop(u);
    };
  });
  await page.reload();
  await page.click('.quiet');
  await waitReady(page);
  await page.waitForSelector('.portrait img');
  const src = await page.$eval('.portrait img', (e) => e.src);
  assert.match(src, /^blob:/);
  await download(page, out, () => page.click('[data-save]'));
  assert.equal((await page.evaluate(() => globalThis.urls.gone)).length, 0);
  await page.click('.row .bare');
  await page.waitForSelector('.empty');
  assert.ok((await page.evaluate(() => globalThis.urls.gone)).includes(src));
}));

test('text of a card is text: markup in it stays inert', () => on({}, async (page) => {
  const evil = '<img src=x onerror="globalThis.hit=1"><script>globalThis.hit=1</script>';
  await drop(page, [await write(tmp.dir, 'evil.json', JSON.stringify(card(evil, { description: evil, tags: [evil], creator: evil })))]);
  await waitReady(page);
  assert.equal(await page.evaluate(() => globalThis.hit), undefined);
  assert.equal(await page.$eval('.name', (e) => e.textContent), evil);
  assert.equal(await page.$('.card script'), null);
}));

test('the result can be dragged out: the browser is given its address, name and type', () => on({}, async (page) => {
  await page.click('.quiet');
  await waitReady(page);
  await page.evaluate(() => addEventListener('dragstart', (e) => {
    globalThis.dragged = { stopped: e.defaultPrevented, data: e.dataTransfer.getData('DownloadURL') };
  }));
  const box = await (await page.$('.tile')).boundingBox();
  await page.mouse.move(box.x + 20, box.y + 20);
  await new Promise((r) => setTimeout(r, 300));
  await page.mouse.down();
  await page.mouse.move(box.x + 60, box.y - 40, { steps: 5 });
  await page.waitForFunction(() => globalThis.dragged);
  const dragged = await page.evaluate(() => globalThis.dragged);
  assert.equal(dragged.stopped, false);
  assert.match(dragged.data, /^image\/png:Juniper\.png:blob:http/);
}));

test('a file picked twice is two rows; removing the last returns to the first screen', () => on({}, async (page) => {
  const path = await write(tmp.dir, 'twice.json', JSON.stringify(card('Twice')));
  await pick(page, path);
  await waitReady(page);
  await pick(page, path);
  await page.waitForFunction(() => document.querySelectorAll('.row[data-status="ready"]').length === 2);
  await page.click('.row .bare');
  await page.click('.row .bare');
  await page.waitForSelector('.empty');
}));

test('directional marks in names turn nothing: heading, row, title and file name', () => on({}, async (page) => {
  const marks = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
  await drop(page, [await write(tmp.dir, 'marks.json', JSON.stringify(card('\u202eAda\u2066 Love\u200flace', { creator: '\u202eme', tags: ['\u202etag'] })))]);
  await waitReady(page);
  assert.equal(await textOf(page, '.name bdi'), 'Ada Lovelace');
  assert.equal(await textOf(page, '.row-name bdi'), 'Ada Lovelace');
  assert.equal(await page.title(), 'Ada Lovelace · bunzai');
  assert.doesNotMatch(await page.$eval('.card', (e) => e.outerHTML.split('class="inside"')[0]), marks);
  assert.doesNotMatch(await textOf(page, '[role=status]'), marks);
}));

test('a name of 300 characters takes three lines, whole on request; its row one line', () => on({ width: 375, height: 760 }, async (page) => {
  const long = 'Long name of many words '.repeat(13).slice(0, 300).trim();
  await pick(page, await write(tmp.dir, 'long.json', JSON.stringify(card(long))));
  await waitReady(page);
  const lines = () => page.$eval('.name', (e) => e.clientHeight / parseFloat(getComputedStyle(e).lineHeight));
  await page.waitForSelector('.name + .link');
  assert.ok((await lines()) < 3.5, `${await lines()} lines`);
  assert.equal(await page.$eval('.name', (e) => e.title), long);
  // The save bar may stand over the button of an unfolded name until the page is scrolled.
  const unfold = () => page.$eval('.name + .link', (e) => e.click());
  await unfold();
  await page.waitForSelector('.name[data-open="true"]');
  assert.ok((await lines()) > 4);
  await unfold();
  await page.waitForSelector('.name[data-open="false"]');
  assert.ok((await lines()) < 3.5);
  await page.click('.back');
  await page.waitForSelector('[data-row]');
  assert.ok((await page.$eval('.row-name', (e) => e.clientHeight)) < 30);
}));

test('a short name has nothing to unfold', () => on({}, async (page) => {
  await pick(page, await write(tmp.dir, 'short.json', JSON.stringify(card('Tiny gjpq'))));
  await waitReady(page);
  assert.equal(await page.$('.name + .link'), null);
}));

test('375 px: tags and notes take the full width below the portrait', () => on({ width: 375, height: 760 }, async (page) => {
  await pick(page, await write(tmp.dir, 'warn-tags.png', cardPNG(card('Tagged', { tags: ['one', 'two', 'three'] }))));
  await waitReady(page);
  const [portrait, tags, notes, head] = await Promise.all(['.portrait', '.tags', '.notes', '.head'].map((s) => page.$eval(s, (e) => e.getBoundingClientRect().toJSON())));
  for (const r of [tags, notes]) {
    assert.ok(r.top >= portrait.bottom, 'below the portrait');
    assert.ok(Math.abs(r.left - head.left) < 2, 'from the left edge');
  }
}));

test('rows with the same name say their file, and which of several it is', () => on({}, async (page) => {
  const a = await write(tmp.dir, 'same-a.json', JSON.stringify(card('Same')));
  const b = await write(tmp.dir, 'same-b.json', JSON.stringify(card('Same')));
  await drop(page, [a]);
  await waitReady(page);
  await drop(page, [a, b, await write(tmp.dir, 'alone.json', JSON.stringify(card('Alone')))]);
  await page.waitForFunction(() => document.querySelectorAll('.row[data-status="ready"]').length === 4);
  const told = await page.$$eval('.row', (all) => all.map((r) => r.querySelector('.row-twin')?.textContent ?? ''));
  assert.deepEqual(told, ['1 of 2 · same-a.json', '2 of 2 · same-a.json', 'same-b.json', '']);
}));

test('"Save all" saves each file that is read, one after the other; what would drop content is left out; "Clear list" empties', () => on({}, async (page, out) => {
  const paths = [];
  for (const n of ['All one', 'All two', 'All three']) paths.push(await write(tmp.dir, `${n}.json`, JSON.stringify(card(n))));
  paths.push(await write(tmp.dir, 'lossy-all.json', JSON.stringify(card('All lossy'))), await write(tmp.dir, 'bad-all.json', '{"data": {'));
  await drop(page, paths);
  await page.waitForFunction(() => document.querySelectorAll('.row[data-status="ready"]').length === 4);
  await waitReady(page);
  await page.click('input[value="bunzai"]');
  assert.equal(await textOf(page, '[data-save-all]'), 'Save all (4)');
  await page.click('[data-save-all]');
  await waitText(page, '.list-told', 'Saved 3 files.');
  assert.match(await textOf(page, '.list-told'), /1 file could not be saved or would drop content/);
  const want = ['All one.json', 'All three.json', 'All two.json'];
  for (let i = 0; i < 100 && (await readdir(out)).length < 3; i++) await new Promise((r) => setTimeout(r, 50));
  assert.deepEqual((await readdir(out)).sort(), want);
  assert.equal(JSON.parse(await readFile(`${out}/All two.json`)).data.name, 'All two');
  await page.click('[data-clear]');
  await page.waitForSelector('.empty');
  await page.waitForFunction(() => document.activeElement?.matches('.empty .primary'));
}));

test('a file that nobody claims: the engine\'s own words, and only the formats that see something in it', () => on({}, async (page) => {
  await drop(page, [await write(tmp.dir, 'unknown-p.json', '{"char_name":"P"}')]);
  await page.waitForSelector('.problem[data-code="not-recognized"]');
  assert.match(await textOf(page, '.problem'), /This is a Pygmalion character, which this version of bunzai does not read yet\./);
  await page.click('.why summary');
  assert.equal((await page.$$('.why tbody tr')).length, 1);
  assert.match(await textOf(page, '.why'), /And 2 formats that do not claim it\./);
}));

test('a limit says which: safe, then large', () => on({}, async (page) => {
  await drop(page, [await write(tmp.dir, 'huge-a.json', '{}')]);
  await waitText(page, '.problem', 'The safe limit is 512.');
  await page.click('.problem .primary');
  await waitText(page, '.problem', 'The large limit is 20,000.');
  assert.doesNotMatch(await textOf(page, 'main'), /safe limit/);
}));

test('scripts are named with the file that carries them', () => on({}, async (page) => {
  await drop(page, [await write(tmp.dir, 'scripts.json', JSON.stringify(card('Scripted', { scripts: ['start.js', 'end.js'] })))]);
  await waitReady(page);
  await page.click('#tab-scripts');
  assert.equal(await textOf(page, '#panel'), 'This file carries scripts (start.js, end.js). bunzai never runs them.');
}));

test('an engine that has grown is replaced: its memory is given back, and the next call works', () => on({}, async (page, out) => {
  await drop(page, [await write(tmp.dir, 'heavy-a.json', JSON.stringify(card('Heavy')))]);
  await waitReady(page);
  const read = (name) => page.evaluate((n) => Number(document.documentElement.dataset[n]), name);
  const workers = page.workers().length;
  const got = await download(page, out, () => page.click('[data-save]'));
  assert.equal(JSON.parse(got.bytes).data.name, 'Heavy');
  assert.equal(await read('enginePeak'), 600 * 2 ** 20);
  assert.equal(await read('engineMemory'), 0);
  assert.equal(page.workers().length, workers - 1);
  await drop(page, [await write(tmp.dir, 'after-heavy.json', JSON.stringify(card('After')))]);
  await waitText(page, '.name', 'After');
  await waitReady(page);
  assert.equal(await read('engineMemory'), 2 ** 20);
}));
