// What is shipped: no stand-in, nothing inline, nothing from elsewhere, one policy, a lock file without addresses.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { folder } from './server.mjs';

const read = (path) => readFile(folder(path), 'utf8');
const assets = await readdir(folder('dist/assets'));

test('the stand-in engine is not shipped', async () => {
  for (const name of assets) assert.doesNotMatch(await read(`dist/assets/${name}`), /0\.0\.0-fake|night greenhouse/, name);
});

test('the page has no inline script, no style, no absolute address, and carries the policy', async () => {
  const html = await read('dist/index.html');
  assert.doesNotMatch(html, /<script(?![^>]*\ssrc=)[^>]*>|<style|\sstyle=|\son\w+=/);
  for (const [, url] of html.matchAll(/\s(?:src|href)="([^"]*)"/g)) assert.match(url, /^\.\//, url);
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)[1].replaceAll('&#39;', "'");
  const header = /^Content-Security-Policy: (.*)$/m.exec(await read('HEADERS.md'))[1];
  assert.equal(header, `${policy}; frame-ancestors 'none'`);
  assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'|https?:|\*/);
});

test('no address of another host is in the code, except names of XML and links in licences', async () => {
  for (const name of assets) {
    const found = [...(await read(`dist/assets/${name}`)).matchAll(/https?:\/\/[^\s"'`)]+/g)].map((m) => m[0]);
    assert.deepEqual(found.filter((u) => !u.startsWith('http://www.w3.org/')), [], name);
  }
});

test('scripts and styles together stay under 60 KB gzipped', async () => {
  const { gzipSync } = await import('node:zlib');
  let sum = 0;
  for (const name of assets) sum += gzipSync(await readFile(folder(`dist/assets/${name}`)), { level: 9 }).length;
  assert.ok(sum < 60_000, `${sum} bytes`);
});

test('the lock file holds no registry address', async () => {
  assert.doesNotMatch(await read('package-lock.json'), /"resolved"/);
});
