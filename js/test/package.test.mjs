// The packed package, alone in an empty folder, in what has no window: Node, TypeScript, Deno, workerd (KF-155, KF-156).
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { examples, lend, modules, project, root, run, sample } from './kit.mjs';

const bin = (name) => join(modules, '.bin', name);
const ok = (r, what = '') => assert.equal(r.code, 0, `${what}${r.stderr}\n${r.stdout}`);

describe('the tarball', () => {
  test('holds what is meant to be published, and nothing that runs at install', () => {
    const [{ files, size, unpackedSize }] = JSON.parse(execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
    const names = files.map((f) => f.path);
    for (const n of names) assert.match(n, /^(dist\/[\w.-]+|package\.json|README\.md)$/);
    for (const n of ['README.md', 'dist/engine.wasm', 'dist/cli.wasm.br', 'dist/index.d.ts']) assert.ok(names.includes(n), n);
    assert.ok(size < 8 << 20 && unpackedSize < 20 << 20, `${size} bytes packed, ${unpackedSize} unpacked`);
    const pkg = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    for (const s of ['preinstall', 'install', 'postinstall', 'prepare']) assert.equal(pkg.scripts[s], undefined);
    assert.equal(pkg.dependencies, undefined);
    for (const e of Object.values(pkg.exports)) for (const f of typeof e === 'string' ? [e] : Object.values(e)) assert.ok(existsSync(join(root, f)), f);
    for (const v of Object.values(pkg.devDependencies)) assert.match(v, /^\d+\.\d+\.\d+$/, 'pinned');
    assert.doesNotMatch(readFileSync(join(root, 'package-lock.json'), 'utf8'), /"resolved"/);
  });

  test('the sources keep the loader of the toolchain out', async () => {
    const r = await run('git', ['ls-files', '--', 'src/wasm_exec.js'], { cwd: root });
    assert.equal(String(r.stdout), '');
  });

  test('publint has nothing to say', async () => {
    const { publint } = await import('publint');
    const { messages } = await publint({ pkgDir: root, level: 'warning', strict: true, pack: 'npm' });
    assert.deepEqual(messages, []);
  });

  test('are the types wrong? They are not', async () => {
    const r = await run(bin('attw'), ['--pack', '.', '--profile', 'esm-only', '--no-color', '--no-emoji'], { cwd: root });
    ok(r);
  });
});

describe('Node', () => {
  const dir = project();
  const script = async (name, code) => {
    const { writeFile } = await import('node:fs/promises');
    await writeFile(join(dir, name), code);
    return run(process.execPath, ['--throw-deprecation', '--trace-warnings', name], { cwd: dir });
  };

  test('ES modules: every entry', async () => {
    const r = await script('all.mjs', `
      import * as b from 'bunzai'; import * as w from 'bunzai/worker'; import * as m from 'bunzai/wasm';
      import { createRequire } from 'node:module';
      console.log(JSON.stringify([Object.keys(b), Object.keys(w), Object.keys(m), createRequire(import.meta.url)('bunzai/package.json').name]));
      console.log((await m.wasmBytes()).length, String(await m.wasmModule()), m.wasmUrl.protocol);
      console.log(['Go', 'fs', 'path', '__bunzai', '__bunzaiReady'].filter((n) => n in globalThis).length);`);
    ok(r);
    const [first, second, third] = String(r.stdout).trim().split('\n');
    assert.deepEqual(JSON.parse(first), [['BunzaiError', 'convert', 'detect', 'formats', 'init', 'inspect', 'memory', 'openLibrary', 'version'], ['BunzaiError', 'createPool'], ['version', 'wasmBytes', 'wasmModule', 'wasmUrl'], 'bunzai']);
    assert.match(second, /^\d{7,} \[object WebAssembly.Module\] file:$/);
    assert.equal(third, '0');
    assert.equal(r.stderr, '');
  });

  examples().forEach(({ run: how, lang, code }, i) => {
    if (how !== 'node' && how !== 'cjs') return;
    test(`README, example ${i + 1} (${how})`, async () => {
      const r = await script(`example-${i}.${how === 'cjs' ? 'cjs' : 'mjs'}`, code);
      ok(r, `${lang}: `);
      assert.equal(r.stderr, '');
      if (/console/.test(code)) assert.notEqual(String(r.stdout), '');
    });
  });

  test('README: every example has its test', () => {
    const known = ['node', 'cjs', 'browser', 'esbuild', 'workerd', 'ts', 'sh', 'library'];
    for (const e of examples()) assert.ok(known.includes(e.run) || e.code === 'npm install bunzai\n', e.code);
  });

  test('README: the command line', async () => {
    const { code } = examples().find((e) => e.run === 'sh');
    const r = await run('sh', ['-euc', code.replaceAll('npx bunzai', 'npx --offline --no-install bunzai')], { cwd: dir });
    ok(r);
    assert.ok(statSync(join(dir, 'out.charx')).size > 0);
    assert.deepEqual(readFileSync(join(dir, 'same.png')), readFileSync(join(dir, 'card.png')));
  });
});

describe('TypeScript', () => {
  const use = `
    import { BunzaiError, convert, detect, formats, init, inspect, version, type Conversion, type Input, type Kind, type Progress, type Report, type Verdict } from 'bunzai';
    import { createPool, type Pool } from 'bunzai/worker';
    import { wasmBytes, wasmModule, wasmUrl } from 'bunzai/wasm';
    import wasm from 'bunzai/engine.wasm';
    import * as edge from 'bunzai/edge';

    type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
    const is = <A, B>(_: Same<A, B>) => {};
    declare const blob: Blob; declare const bytes: Uint8Array; declare const response: Response; declare const stream: ReadableStream<Uint8Array>; declare const wide: boolean;

    const a = await convert(blob, { to: 'x' }); is<typeof a.data, Blob>(true);
    const b = await convert(bytes, { to: 'x' }); is<typeof b.data, Uint8Array>(true);
    const c = await convert(response, { to: 'x', output: 'stream' }); is<typeof c.data, ReadableStream<Uint8Array>>(true);
    const d = await convert(stream, { to: 'x', output: 'blob', container: 'png' }); is<typeof d.data, Blob>(true);
    const e = await convert('card.png', { to: 'x', dryRun: true }); is<typeof e.data, null>(true);
    const f = await convert(blob, { to: 'x', dryRun: wide }); is<typeof f.data, Uint8Array | Blob | ReadableStream<Uint8Array> | null>(true);
    const g = await convert(blob, { to: 'x', output: 'bytes' }); is<typeof g.data, Uint8Array>(true);
    const any: Conversion = b; const report: Report = any.report; const v: Verdict = report.items[0]!.verdict; const from: string = report.from.variant + report.to.spec;
    // @ts-expect-error a misspelled option
    await convert(bytes, { to: 'x', contaner: 'png' });
    // @ts-expect-error to is missing
    await convert(bytes, {});
    // @ts-expect-error no such container
    await convert(bytes, { to: 'x', container: 'gif' });
    // @ts-expect-error no input
    await detect(5);
    const kind: Kind | undefined = (await detect(bytes, { signal: new AbortController().signal, onProgress: (p: Progress) => { const s: 'load' | 'read' | 'write' = p.stage; void s; } })).format?.kind;
    const size: number | undefined = (await inspect(blob)).portrait?.size;
    const id: string = (await formats())[0]!.id;
    const pool: Pool = createPool({ size: 2, wasm: wasmUrl });
    const h = await pool.convert(blob, { to: 'x' }); is<typeof h.data, Blob>(true);
    await pool.close();
    await init({ wasm }); await init({ wasm: wasmModule() }); await init({ wasm: () => wasmBytes() }); await edge.init();
    const inputs: Input[] = [blob, bytes, response, stream, 'path', new URL('file:///x')];
    try { await detect(bytes); } catch (x) {
      if (x instanceof BunzaiError) {
        const text: string = x.message + x.where + x.name + x.stack;
        if (x.code === 'limit') { const n: number = x.limit.value; void n; } else { is<typeof x.limit, null>(true); }
        // @ts-expect-error no such code
        if (x.code === 'wrong') void text;
      }
    }
    void [v, from, kind, size, id, inputs, version];`;
  const node = `
    import { open } from 'node:fs/promises'; import { detect } from 'bunzai'; import { createReadStream } from 'node:fs';
    await detect(await open('card.png')); await detect(createReadStream('card.png')); await detect(Buffer.from('x'));`;
  const { code } = examples().find((e) => e.run === 'ts');
  const base = { strict: true, target: 'ES2022', skipLibCheck: false, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, noEmit: true };
  const dir = project({ 'use.ts': use, 'node.ts': node, 'example.ts': code });
  for (const n of ['@types/node', 'undici-types', '@cloudflare/workers-types']) lend(dir, n);
  const settings = {
    'in a page': { files: ['use.ts', 'example.ts'], compilerOptions: { ...base, module: 'ESNext', moduleResolution: 'Bundler', lib: ['ES2022', 'DOM'], types: [] } },
    'in Node': { files: ['use.ts', 'node.ts', 'example.ts'], compilerOptions: { ...base, module: 'NodeNext', lib: ['ES2022'], types: ['node'] } },
    'in a Worker of Cloudflare': { files: ['use.ts'], compilerOptions: { ...base, module: 'ESNext', moduleResolution: 'Bundler', lib: ['ES2022'], types: ['@cloudflare/workers-types'] } },
  };
  for (const [name, config] of Object.entries(settings)) {
    test(`--strict, ${name}`, async () => {
      const { writeFile } = await import('node:fs/promises');
      const file = `tsconfig.${Object.keys(settings).indexOf(name)}.json`;
      await writeFile(join(dir, file), JSON.stringify(config));
      const { stdout } = await run(bin('tsc'), ['-p', file, '--pretty', 'false'], { cwd: dir });
      // The declarations of Node itself have a fault of their own, which is not ours to judge.
      assert.deepEqual(String(stdout).split('\n').filter((l) => /error TS/.test(l) && !/^\S*@types\/node\//.test(l)), []);
    });
  }

  test('README: the example runs', async () => {
    const out = await run(bin('tsc'), ['--target', 'ES2022', '--module', 'NodeNext', '--types', 'node', '--outDir', 'out', 'example.ts'], { cwd: dir });
    ok(out);
    const r = await run(process.execPath, ['out/example.js'], { cwd: dir });
    ok(r);
    assert.match(String(r.stdout), /there is no file nothing\.txt/);
  });
});

describe('Deno', () => {
  const deno = readdirSync(join(modules, '@deno')).map((d) => join(modules, '@deno', d, 'deno')).find(existsSync);
  test('the same calls, from the npm package', async () => {
    assert.ok(deno, 'npm serves Deno for this machine');
    const dir = project({ 'main.ts': `
      import { convert, detect } from 'bunzai';
      import { createPool } from 'bunzai/worker';
      console.log((await detect('card.png')).format.app);
      const bytes = await Deno.readFile('card.png');
      const { data } = await convert(bytes, { to: 'sillytavern' });
      console.log(data.length === bytes.length && data.every((b, i) => b === bytes[i]));
      const pool = createPool({ size: 1 });
      console.log((await pool.detect(new Blob([bytes]))).format.app);
      await pool.close();` });
    const r = await run(deno, ['run', '--no-config', '--node-modules-dir=manual', '--cached-only', '--allow-read', '--allow-env', '--allow-sys', 'main.ts'], { cwd: dir, env: { DENO_NO_UPDATE_CHECK: '1', DENO_DIR: join(dir, '.deno') } });
    ok(r);
    assert.equal(String(r.stdout), 'sillytavern\ntrue\nsillytavern\n');
  });
});

describe('Cloudflare Workers', () => {
  let mf;
  after(() => mf?.dispose());

  test('Wrangler bundles it, and workerd runs it', async () => {
    const { code } = examples().find((e) => e.run === 'workerd');
    const dir = project({
      'src/index.js': code,
      'wrangler.json': JSON.stringify({ name: 'cards', main: 'src/index.js', compatibility_date: '2025-10-01', send_metrics: false }),
    });
    const b = await run(bin('wrangler'), ['deploy', '--dry-run', '--outdir', 'out'], { cwd: dir, env: { WRANGLER_SEND_METRICS: 'false', CI: '1', XDG_CONFIG_HOME: join(dir, '.config') } });
    ok(b);
    const { Miniflare } = await import('miniflare');
    mf = new Miniflare({ modules: true, modulesRules: [{ type: 'CompiledWasm', include: ['**/*.wasm'] }], scriptPath: join(dir, 'out/index.js'), modulesRoot: join(dir, 'out'), compatibilityDate: '2025-10-01' });
    const card = readFileSync(sample('both-same.png'));
    const post = (body) => mf.dispatchFetch('http://x/', { method: 'POST', body });
    const first = await post(card);
    assert.equal(first.status, 200, await first.clone().text());
    assert.equal(first.headers.get('content-type'), 'image/png');
    assert.deepEqual(Buffer.from(await first.arrayBuffer()), card);
    const all = await Promise.all(Array.from({ length: 12 }, async (_, i) => {
      if (i % 3 === 1) return (await post('only words')).status;
      const r = await post(card);
      assert.deepEqual(Buffer.from(await r.arrayBuffer()), card);
      return r.status;
    }));
    assert.deepEqual(all, all.map((_, i) => (i % 3 === 1 ? 422 : 200)));
    const big = await post(Buffer.alloc((24 << 20) + 1));
    assert.equal(big.status, 413);
    assert.equal((await big.json()).code, 'limit');
    assert.equal((await post(card)).status, 200);
  });
});
