// Makes web/public/sample.png: our own drawing (sample-portrait.svg) carrying our own character as a V2 card.
// Needs chromium for drawing; the result is checked in, so nobody has to run this to build the page.
import { readFile, writeFile } from 'node:fs/promises';
import { deflateSync, inflateSync } from 'node:zlib';
import puppeteer from 'puppeteer-core';
import { chunk, readChunks, SIGNATURE } from '../test/png.mjs';

const here = new URL('./', import.meta.url);
const svg = await readFile(new URL('sample-portrait.svg', here), 'utf8');
const card = JSON.parse(await readFile(new URL('sample-card.json', here), 'utf8'));

const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
const page = await browser.newPage();
await page.setViewport({ width: 400, height: 600, deviceScaleFactor: 1 });
await page.setContent(`<style>body{margin:0}svg{display:block}</style>${svg}`);
const shot = Buffer.from(await page.screenshot({ type: 'png' }));
await browser.close();

const { width, height, rows } = decode(shot);
const chunks = indexed(width, height, rows);
const text = Buffer.from(JSON.stringify(card)).toString('base64');
const out = Buffer.concat([
  SIGNATURE, ...chunks, chunk('tEXt', Buffer.from(`chara\0${text}`, 'latin1')), chunk('IEND', Buffer.alloc(0)),
]);
await writeFile(new URL('../public/sample.png', here), out);
console.log(`public/sample.png: ${out.length} bytes`);

/** Undoes the PNG filters of an 8-bit RGB or RGBA picture; returns rows of packed RGB. */
function decode(png) {
  const all = readChunks(png);
  const head = all[0].data;
  const width = head.readUInt32BE(0), height = head.readUInt32BE(4), bpp = head[9] === 6 ? 4 : 3;
  const raw = inflateSync(Buffer.concat(all.filter((c) => c.type === 'IDAT').map((c) => c.data)));
  const line = width * bpp;
  let prev = Buffer.alloc(line);
  const rows = [];
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (line + 1)];
    const cur = Buffer.from(raw.subarray(y * (line + 1) + 1, (y + 1) * (line + 1)));
    for (let x = 0; x < line; x++) {
      const a = x >= bpp ? cur[x - bpp] : 0, b = prev[x], c = x >= bpp ? prev[x - bpp] : 0;
      const p = a + b - c, pa = Math.abs(p - a), pb = Math.abs(p - b), pc = Math.abs(p - c);
      const add = [0, a, b, (a + b) >> 1, pa <= pb && pa <= pc ? a : pb <= pc ? b : c][filter];
      cur[x] = (cur[x] + add) & 255;
    }
    rows.push(Array.from({ length: width }, (_, x) => (cur[x * bpp] << 16) | (cur[x * bpp + 1] << 8) | cur[x * bpp + 2]));
    prev = cur;
  }
  return { width, height, rows };
}

/** Writes IHDR, PLTE and IDAT with the 128 commonest colours; others take the nearest. */
function indexed(width, height, rows) {
  const count = new Map();
  for (const row of rows) for (const c of row) count.set(c, (count.get(c) ?? 0) + 1);
  const palette = [...count].sort((a, b) => b[1] - a[1]).slice(0, 128).map(([c]) => c);
  const index = new Map(palette.map((c, i) => [c, i]));
  const near = (c) => {
    const known = index.get(c);
    if (known !== undefined) return known;
    let best = 0, least = Infinity;
    palette.forEach((p, i) => {
      const d = ((p >> 16) - (c >> 16)) ** 2 + (((p >> 8) & 255) - ((c >> 8) & 255)) ** 2 + ((p & 255) - (c & 255)) ** 2;
      if (d < least) [least, best] = [d, i];
    });
    index.set(c, best);
    return best;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const body = Buffer.concat(rows.map((row) => Buffer.from([0, ...row.map(near)])));
  return [
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from(palette.flatMap((c) => [c >> 16, (c >> 8) & 255, c & 255]))),
    chunk('IDAT', deflateSync(body, { level: 9 })),
  ];
}
