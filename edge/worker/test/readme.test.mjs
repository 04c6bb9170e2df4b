import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { card, cardPNG } from './files.mjs';
import { repo, root, start } from './harness.mjs';

const blocks = (kind) => [...readFileSync(join(repo, 'edge', 'README.md'), 'utf8').matchAll(new RegExp(`\`\`\`${kind}\\n([^]*?)\`\`\``, 'g'))].map((m) => m[1]);

test('the examples of the README run', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'bunzai-readme-'));
  const s = await start({
    bindings: { TOKENS: '', BULK_POLL: '1' }, r2Buckets: { BUCKET: 'cards' }, queueProducers: { QUEUE: { queueName: 'bunzai' } },
    queueConsumers: { bunzai: { maxBatchTimeout: 0.2, deadLetterQueue: 'bunzai-dead' } },
  });
  const bulk = await start({
    bindings: { TOKENS: 'secret', BULK_POLL: '1' }, r2Buckets: { BUCKET: 'cards' }, queueProducers: { QUEUE: { queueName: 'bunzai' } },
    queueConsumers: { bunzai: { maxBatchTimeout: 0.2, deadLetterQueue: 'bunzai-dead' } },
  });
  try {
    writeFileSync(join(dir, 'card.png'), cardPNG(card({ name: 'Ada Ä' })));
    const sh = (text, url) => execFileSync('bash', ['-euc', text], { cwd: dir, encoding: 'utf8', env: { ...process.env, URL: url }, timeout: 60_000 });
    const shell = blocks('sh');
    const calls = shell.find((b) => b.includes('/v1/detect'));
    const out = sh(calls, s.url);
    assert.match(out, /"kind":"png"/);
    assert.match(out, /"pieces":\[/);
    assert.match(out, /"app":"sillytavern"/);
    assert.ok(readdirSync(dir).some((f) => f.endsWith('.charx')), readdirSync(dir).join());
    assert.match(readFileSync(join(dir, 'headers.txt'), 'utf8'), /bunzai-report: \{"from"/i);
    assert.match(readFileSync(join(dir, 'both.txt'), 'latin1'), /"counts":/);
    await (await bulk.mf.getR2Bucket('BUCKET')).put('cards/a.png', readFileSync(join(dir, 'card.png')));
    assert.match(sh(shell.find((b) => b.includes('/v1/jobs')), bulk.url), /"status":"\/v1\/jobs\?out=converted%2F"/);
    const file = readFileSync(join(dir, 'card.png'));
    const run = new Function('URL', 'file', 'fetch', `return (async () => { ${blocks('js')[0]}; return { report, card }; })()`);
    const made = await run(s.url, file, fetch);
    assert.equal(made.report.counts.lost, 0);
    assert.equal(JSON.parse(await made.card.text()).data.name, 'Ada Ä');
  } finally {
    await s.stop();
    await bulk.stop();
    rmSync(dir, { recursive: true });
  }
});

test('the settings of wrangler.jsonc are those that the code knows', () => {
  const text = readFileSync(join(root, 'wrangler.jsonc'), 'utf8');
  const settings = JSON.parse(text.replace(/^\s*\/\/.*$|\s\/\/ .*$/gm, ''));
  const known = readFileSync(join(root, 'src', 'env.ts'), 'utf8');
  for (const name of [...Object.keys(settings.vars), ...settings.ratelimits.map((r) => r.name)]) assert.match(known, new RegExp(`\\b${name}\\?:`));
});
