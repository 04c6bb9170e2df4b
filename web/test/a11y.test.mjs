// axe-core finds nothing, in both schemes, wide and narrow, in every state.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { drop, launchChromium, open, tempDir, waitReady, write } from './browser.mjs';
import { cardPNG } from './png.mjs';
import { folder, serve } from './server.mjs';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
let host, browser, tmp;
before(async () => {
  host = await serve(folder('dist-fake'));
  browser = await launchChromium();
  tmp = await tempDir();
});
after(async () => {
  await browser?.close();
  await host?.close();
  await tmp?.remove();
});

async function clean(page, state) {
  // The debugger puts axe in; the page's policy does not apply to it and stays in force.
  const cdp = await page.createCDPSession();
  await cdp.send('Runtime.evaluate', { expression: axe });
  await cdp.detach();
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  const told = found.violations.map((v) => `${v.id}: ${v.help}\n${v.nodes.slice(0, 3).map((n) => `    ${n.html.slice(0, 160)}\n    ${n.failureSummary}`).join('\n')}`);
  assert.deepEqual(told, [], `${state}:\n${told.join('\n')}`);
}

const looks = {
  light: { width: 1280, height: 860 }, dark: { width: 1280, height: 860, dark: true },
  narrow: { width: 375, height: 780 }, 'narrow dark': { width: 375, height: 780, dark: true },
};
for (const [look, how] of Object.entries(looks)) {
  test(`axe: ${look}`, async () => {
    const p = await open(browser, host.url, { ...how, still: true });
    const { page } = p;
    await clean(page, 'empty');
    await page.click('.trust summary');
    await clean(page, 'trust opened');
    await page.click('.trust summary');
    const paths = [
      await write(tmp.dir, 'limit-x.json', '{"data":{"name":"X"}}'), await write(tmp.dir, 'p.png', cardPNG(undefined)),
      `${folder('dist-fake')}/sample.png`, await write(tmp.dir, 'lossy-x.json', '{"data":{"name":"X"}}'), await write(tmp.dir, 'hang-x.json', '{"data":{"name":"X"}}'),
      await write(tmp.dir, 'locked-x.json', '{"data":{"name":"X"}}'),
    ];
    await drop(page, paths, { x: 150, y: 300 });
    await page.waitForFunction(() => document.querySelectorAll('.row[data-status="ready"]').length === 2);
    await page.waitForSelector('.row .progress');
    await clean(page, 'list');
    const show = async (i) => {
      await page.evaluate(() => document.querySelector('.back')?.click());
      await page.waitForFunction((n) => document.querySelectorAll('[data-row]').length > n && document.querySelectorAll('[data-row]')[n].offsetParent, {}, i);
      await page.evaluate((n) => document.querySelectorAll('[data-row]')[n].click(), i);
    };
    await show(4);
    await page.waitForSelector('.waiting-more');
    await clean(page, 'reading');
    await page.evaluate(() => document.querySelector('.waiting-more button').click());
    await page.waitForSelector('.problem[data-code="cancelled"]');
    await clean(page, 'cancelled');
    await show(0);
    await page.waitForSelector('.problem[data-code="limit"]');
    await clean(page, 'limit error');
    await show(1);
    await page.waitForSelector('.problem[data-code="no-card"]');
    await clean(page, 'no card');
    await show(5);
    await page.waitForSelector('.problem[data-code="password"] .unlock');
    await clean(page, 'locked');
    await show(2);
    await waitReady(page);
    await new Promise((r) => setTimeout(r, 300));
    await clean(page, 'ready');
    await page.click('.why summary');
    await page.click('.fold');
    await clean(page, 'everything unfolded');
    for (const tab of ['greetings', 'lorebook', 'pictures']) {
      await page.click(`#tab-${tab}`);
      await clean(page, tab);
    }
    await page.click('.portrait');
    await clean(page, 'portrait in full');
    await page.keyboard.press('Escape');
    await page.click('input[value="sillytavern"]');
    await new Promise((r) => setTimeout(r, 200));
    await clean(page, 'same app');
    await show(3);
    await waitReady(page);
    await page.click('input[value="bunzai"]');
    await page.waitForSelector('.problem[data-code="would-lose"]');
    await clean(page, 'would lose');
    await p.close();
  });
}
