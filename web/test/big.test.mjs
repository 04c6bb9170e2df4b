// A card of 1 GiB and 1,500 pictures: refused in words under the safe limits, opened and saved with large ones, in
// seconds, with the engine's memory far below the file's size.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { open as openFile, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { drop, launchChromium, open, tempDir, textOf, waitReady } from './browser.mjs';
import { cardPNG, crc32 } from './png.mjs';
import { folder, serve } from './server.mjs';
import { writeZip } from './zip.mjs';

const skip = existsSync(`${folder('dist')}/engine.wasm`) ? false : 'web/dist holds no engine: run `make page` first';
const PICTURES = 1500;
const EACH = Math.ceil(2 ** 30 / PICTURES);

test('1 GiB .charx of 1,500 pictures', { skip, timeout: 300_000 }, async (t) => {
  const tmp = await tempDir();
  const out = await tempDir();
  const host = await serve(folder('dist'));
  const browser = await launchChromium();
  try {
    const picture = Buffer.concat([cardPNG(undefined), Buffer.alloc(EACH)]).subarray(0, EACH);
    const crc = crc32(picture);
    const assets = Array.from({ length: PICTURES }, (_, i) => ({ type: i ? 'emotion' : 'icon', uri: `embeded://assets/${i}.png`, name: i ? `e${i}` : 'main', ext: 'png' }));
    const card = { spec: 'chara_card_v3', spec_version: '3.0', data: { name: 'Gallery', description: 'Many pictures.', first_mes: 'Look.', assets, extensions: {} } };
    const path = join(tmp.dir, 'gallery.charx');
    const size = await writeZip(path, [['card.json', Buffer.from(JSON.stringify(card))], ...assets.map((_, i) => [`assets/${i}.png`, picture, crc])]);
    assert.ok(size >= 2 ** 30);

    const p = await open(browser, host.url, { downloads: out.dir });
    const { page } = p;
    const memory = () => page.evaluate(() => Number(document.documentElement.dataset.enginePeak));
    await drop(page, [path]);
    await page.waitForSelector('.problem[data-code="limit"]');
    t.diagnostic(`card limits: ${await textOf(page, '.problem')}`);
    assert.match(await textOf(page, '.problem'), /The safe limit is \d/);

    let from = Date.now();
    await page.click('.problem .primary');
    await waitReady(page, 60_000);
    t.diagnostic(`large limits: shown and planned in ${Date.now() - from} ms, memory ${(await memory()) / 2 ** 20} MiB`);
    assert.ok((await memory()) < 128 * 2 ** 20);
    assert.equal(await textOf(page, '.name'), 'Gallery');

    if (await page.$('#tab-pictures')) {
      await page.click('#tab-pictures');
      await page.waitForSelector('.grid img');
      const shown = await page.$$eval('.grid img', (all) => all.length);
      assert.ok(shown < 200, `only pictures in sight are made: ${shown}`);
    }

    const charx = await page.$('input[name="as"][value="charx"]');
    if (!charx) {
      t.diagnostic('no target writes .charx yet: saving was not tried');
      return;
    }
    await charx.click();
    await page.waitForFunction(() => document.querySelector('input[name="as"][value="charx"]')?.checked && document.querySelector('.tile-name')?.textContent.endsWith('.charx') && document.querySelector('[data-save]'));
    from = Date.now();
    await page.click('[data-save]');
    let name;
    while (!name && Date.now() - from < 120_000) {
      name = (await readdir(out.dir)).find((n) => n.endsWith('.charx'));
      await new Promise((r) => setTimeout(r, 100));
    }
    assert.ok(name, 'saved');
    while (Date.now() - from < 120_000 && ((await stat(join(out.dir, name))).size < size * 0.99 || (await readdir(out.dir)).some((n) => n.endsWith('.crdownload')))) await new Promise((r) => setTimeout(r, 100));
    const saved = await stat(join(out.dir, name));
    t.diagnostic(`saved ${saved.size} bytes in ${Date.now() - from} ms, memory ${(await memory()) / 2 ** 20} MiB`);
    assert.ok(saved.size > size * 0.99);
    const f = await openFile(join(out.dir, name));
    const head = Buffer.alloc(4);
    await f.read(head, 0, 4, 0);
    await f.close();
    assert.equal(head.toString('latin1'), 'PK\x03\x04');
    assert.ok((await memory()) < 128 * 2 ** 20);
    assert.deepEqual(p.seen.errors, []);
    await rm(join(out.dir, name));
  } finally {
    await browser.close();
    await host.close();
    await tmp.remove();
    await out.remove();
  }
});
