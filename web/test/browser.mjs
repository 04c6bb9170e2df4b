// Browsers and what tests do with a page: open, drop, pick, save, and watch for anything that leaves the origin.
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer from 'puppeteer-core';

export const chromium = process.env.CHROMIUM ?? '/usr/bin/chromium';
export const firefox = process.env.FIREFOX ?? '/usr/bin/firefox-esr';
export const has = (path) => existsSync(path);

export const launchChromium = () =>
  puppeteer.launch({ executablePath: chromium, args: ['--no-sandbox', '--disable-dev-shm-usage', '--force-color-profile=srgb'] });

export const launchFirefox = (downloads) =>
  puppeteer.launch({
    browser: 'firefox', executablePath: firefox,
    extraPrefsFirefox: { 'browser.download.folderList': 2, 'browser.download.dir': downloads, 'browser.download.useDownloadDir': true, 'browser.download.always_ask_before_handling_new_types': false },
  });

export async function tempDir() {
  const dir = await mkdtemp(join(tmpdir(), 'bunzai-web-'));
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) };
}

/** Opens the page and notes violations, errors and every address that is asked for. */
export async function open(browser, url, { width = 1280, height = 900, dark = false, still = false, touch = false, downloads = '' } = {}) {
  const context = await browser.createBrowserContext(downloads ? { downloadBehavior: { policy: 'allow', downloadPath: downloads } } : {});
  const page = await context.newPage();
  const seen = { requests: [], errors: [], violations: [] };
  page.on('request', (r) => seen.requests.push(r.url()));
  page.on('pageerror', (e) => seen.errors.push(String(e)));
  page.on('console', (m) => {
    if (m.type() !== 'error') return;
    (/Content.Security.Policy/i.test(m.text()) ? seen.violations : seen.errors).push(`${m.text()} ${m.location().url ?? ''}`);
  });
  await page.setViewport({ width, height, deviceScaleFactor: 1, isMobile: touch, hasTouch: touch });
  const features = [];
  if (dark) features.push({ name: 'prefers-color-scheme', value: 'dark' });
  if (still) features.push({ name: 'prefers-reduced-motion', value: 'reduce' });
  await page.emulateMediaFeatures(features);
  await page.goto(url, { waitUntil: 'load' });
  await page.waitForSelector('.brand');
  return { page, seen, close: () => context.close() };
}

/** A real drop of real files, as the browser's own drag events (Chromium). */
export async function drop(page, paths, at = { x: 400, y: 400 }) {
  const cdp = await page.createCDPSession();
  const data = { items: [], files: paths, dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop']) await cdp.send('Input.dispatchDragEvent', { type, ...at, data });
  await cdp.detach();
}

export async function pick(page, ...paths) {
  const input = await page.$('[data-picker]');
  await input.uploadFile(...paths);
}

export const waitText = (page, selector, text, timeout = 10_000) =>
  page.waitForFunction((s, t) => [...document.querySelectorAll(s)].some((e) => e.textContent.includes(t)), { timeout }, selector, text);

export const textOf = (page, selector) => page.$eval(selector, (e) => e.textContent.replace(/\s+/g, ' ').trim());

/** The card is there and its chosen conversion is worked out. */
export const waitReady = (page, timeout = 20_000) => page.waitForSelector('[data-save]', { timeout });

/** The bytes of the file that `act` makes the page save into the context's download folder. */
export async function download(page, dir, act) {
  const before = new Set(await readdir(dir));
  await act();
  const end = Date.now() + 30_000;
  let last = '';
  while (Date.now() < end) {
    // Browsers write under another name first, then rename; a file counts when it has stood still between two looks.
    const names = await readdir(dir);
    const name = names.find((n) => !before.has(n) && !/\.(crdownload|part)$/.test(n) && !n.startsWith('.'));
    const size = name && !names.some((n) => /\.(crdownload|part)$/.test(n)) ? await stat(join(dir, name)).then((s) => s.size, () => 0) : 0;
    const now = `${name} ${size}`;
    if (size > 0 && now === last) {
      const bytes = await readFile(join(dir, name));
      // Out of the way, so that the next one may have the same name.
      await rm(join(dir, name));
      return { name, bytes };
    }
    last = now;
    await new Promise((r) => setTimeout(r, 60));
  }
  throw new Error(`nothing was saved; the folder holds ${(await readdir(dir)).join(', ')}`);
}

export async function write(dir, name, body) {
  const path = join(dir, name);
  await writeFile(path, body);
  return path;
}
