// `npx bunzai` beside the native program on the same inputs: the same output, messages, exit codes and files.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { folder, project, repo, root, run, sample } from './kit.mjs';

const native = process.env.BUNZAI_NATIVE ?? join(repo, 'bin', 'bunzai');
const script = join(root, 'dist', 'cli.js');

/** A folder with inputs. */
function desk() {
  const dir = folder();
  for (const n of ['full.charx', 'both-different.png', 'v2.json', 'wi.json', 'behind-a-jpeg.charx', 'lumi.charx']) cpSync(sample(n), join(dir, n));
  writeFileSync(join(dir, 'words.txt'), 'only words');
  writeFileSync(join(dir, 'empty.json'), '');
  writeFileSync(join(dir, 'with space é.json'), readFileSync(sample('v3.json')));
  writeFileSync(join(dir, 'deep.json'), '{"spec":"chara_card_v2","data":' + '['.repeat(2000) + ']'.repeat(2000) + '}');
  mkdirSync(join(dir, 'out'));
  return dir;
}

/** Every file of a folder, with its content and mode. */
const contents = (dir) => Object.fromEntries(readdirSync(dir, { recursive: true }).sort().map((n) => [n, statSync(join(dir, n))]).map(([n, s]) => [n, s.isDirectory() ? 'folder' : `${(s.mode & 0o777).toString(8)} ${readFileSync(join(dir, n)).toString('base64')}`]));

async function both(args, { input } = {}) {
  const [a, b] = [desk(), desk()];
  const [go, js] = await Promise.all([run(native, args, { cwd: a, input }), run(process.execPath, [script, ...args], { cwd: b, input })]);
  assert.deepEqual({ code: js.code, out: js.stdout.toString('latin1'), err: js.stderr }, { code: go.code, out: go.stdout.toString('latin1'), err: go.stderr }, args.join(' '));
  assert.deepEqual(contents(b), contents(a), args.join(' '));
  return js;
}

describe('the command line', { concurrency: 4 }, () => {
  before(() => {
    assert.ok(existsSync(native), `${native} is missing: make cli`);
    assert.equal(execFileSync(native, ['version'], { encoding: 'utf8' }).trim(), `bunzai ${JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version}`);
  });

  const cases = [
    [0, []], [0, ['convert', '--help']], [0, ['version', '--json']], [0, ['formats', '--json']],
    [0, ['detect', 'full.charx']], [0, ['detect', 'both-different.png', '--json']], [3, ['detect', 'words.txt']], [3, ['detect', '--json', 'words.txt']],
    [0, ['inspect', 'behind-a-jpeg.charx', '--full']], [0, ['inspect', 'with space é.json', '--json']], 
    [0, ['convert', 'full.charx', '--to', 'lumiverse']], [0, ['convert', 'both-different.png', '--to', 'lumiverse', '--all', '-o', 'out']],
    [0, ['convert', 'v2.json', '--to', 'sillytavern', '--container', 'png', '--report', 'json', '-o', 'out/x.png']],
    [0, ['convert', 'wi.json', '--to', 'sillytavern', '-o', '-']],
    [5, ['convert', 'lumi.charx', '--to', 'sillytavern', '--strict']],
    [2, ['convert', 'v2.json', '--to', 'nowhere']], [2, ['convert', 'v2.json']], [2, ['convert', 'v2.json', '--to', 'sillytavern', '-o', 'wi.json']],
    [2, ['convert', 'v2.json', '--to', 'sillytavern', '-o', 'v2.json', '--force', '--json']], [0, ['convert', 'v2.json', '--to', 'sillytavern', '-o', 'wi.json', '--force']],
    [2, ['detect', 'no-such-file']], [1, ['detect', '.']], [1, ['inspect', 'v2.json', 'words.txt', 'empty.json', '--json']], [2, ['frobnicate']], [2, ['detect', 'v2.json', '--limits', 'huge']],
    [4, ['inspect', 'deep.json']],
    [1, ['convert', '.', '--to', 'lumiverse', '--out-dir', 'many', '--json', '-q']],
    [0, ['convert', 'v?.json', 'w*.json', 'full.charx', '--to', 'lumiverse', '--out-zip', 'many.zip', '-q', '--name-by', 'card']],
  ];
  for (const [code, args] of cases) {
    test(`bunzai ${args.join(' ')}`, async () => assert.equal((await both(args)).code, code));
  }
  test('an empty file', async () => assert.notEqual((await both(['inspect', 'empty.json'])).code, 0));
  test('standard input and output, small and large', async () => {
    const card = readFileSync(sample('both-same.png'));
    assert.deepEqual((await both(['convert', '-', '--to', 'sillytavern'], { input: card })).stdout, card);
    const large = Buffer.from(JSON.stringify({ spec: 'chara_card_v2', spec_version: '2.0', data: { name: 'Big', first_mes: 'x', description: 'long '.repeat(2_500_000) } }));
    assert.deepEqual((await both(['convert', '-', '--to', 'sillytavern'], { input: large })).stdout, large);
  });

  test('what it does not do, it says', async () => {
    const r = await run(process.execPath, [script, 'serve'], { cwd: folder() });
    assert.equal(r.code, 1);
    assert.match(r.stderr, /bunzai: the npm package does not hold the page/);
  });

  test('as npx finds it', async () => {
    const r = await run('npx', ['--offline', '--no-install', 'bunzai', 'convert', 'card.png', '--to', 'nowhere'], { cwd: project() });
    assert.equal(r.code, 2);
    assert.match(r.stderr, /nowhere/);
  });
});
