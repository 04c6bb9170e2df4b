// Screenshots of every state into the folder $SHOTS, else one for temporary files: node test/shots.mjs [dist-fake|dist]
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drop, launchChromium, open, tempDir, waitReady, write } from './browser.mjs';
import { cardPNG } from './png.mjs';
import { folder, serve } from './server.mjs';

const root = process.argv[2] ?? 'dist-fake';
const out = process.env.SHOTS ?? join(tmpdir(), 'shots');
await mkdir(out, { recursive: true });
const host = await serve(folder(root));
const browser = await launchChromium();
const tmp = await tempDir();
const limit = await write(tmp.dir, 'limit-castle.charx', JSON.stringify({ data: { name: 'Castle' } }));
const plain = await write(tmp.dir, 'preview.png', cardPNG(undefined));
const sample = `${folder(root)}/sample.png`;

const looks = [
  ['light', { width: 1280, height: 860 }], ['dark', { width: 1280, height: 860, dark: true }],
  ['375', { width: 375, height: 780, touch: true }], ['375-dark', { width: 375, height: 780, dark: true, touch: true }],
];
for (const [look, how] of looks) {
  const shot = async (page, name, full = false) => page.screenshot({ path: `${out}/${name}-${look}.png`, fullPage: full });
  const a = await open(browser, host.url, how);
  await new Promise((r) => setTimeout(r, 300));
  await shot(a.page, 'empty');
  await drop(a.page, [plain, limit, sample], { x: 150, y: 300 });
  await new Promise((r) => setTimeout(r, 500));
  await shot(a.page, 'list');
  const open3 = async (n) => {
    await a.page.evaluate((i) => document.querySelectorAll('[data-row]')[i].click(), n);
    await new Promise((r) => setTimeout(r, 500));
  };
  await open3(2);
  await waitReady(a.page);
  await new Promise((r) => setTimeout(r, 400));
  await shot(a.page, 'card');
  await shot(a.page, 'full', true);
  await a.page.click('.why summary');
  await shot(a.page, 'why');
  await a.page.click('.why summary');
  for (const tab of ['greetings', 'lorebook', 'pictures']) {
    if (!(await a.page.$(`#tab-${tab}`))) continue;
    await a.page.click(`#tab-${tab}`);
    await a.page.$eval('.inside', (e) => e.scrollIntoView({ block: 'start' }));
    await new Promise((r) => setTimeout(r, 250));
    await shot(a.page, `inside-${tab}`);
  }
  if (how.touch) await a.page.click('.back');
  await open3(1);
  await shot(a.page, 'error');
  if (how.touch) await a.page.click('.back');
  await open3(0);
  await shot(a.page, 'error-nocard');
  if (a.seen.errors.length || a.seen.violations.length) console.log(look, a.seen.errors, a.seen.violations);
  await a.close();
}
for (const [w, h] of [[320, 640], [3840, 2160], [1920, 1080]]) {
  const a = await open(browser, host.url, { width: w, height: h });
  await new Promise((r) => setTimeout(r, 300));
  await a.page.screenshot({ path: `${out}/empty-${w}.png` });
  await drop(a.page, [sample], { x: 150, y: 300 });
  await waitReady(a.page);
  await new Promise((r) => setTimeout(r, 400));
  await a.page.screenshot({ path: `${out}/card-${w}.png` });
  await a.close();
}
await browser.close();
await host.close();
await tmp.remove();
