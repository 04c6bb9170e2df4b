// What the tests share: the packed package in empty projects, inputs, a browser.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');
export const repo = join(root, '..');
export const modules = join(root, 'node_modules');
export const sample = (name) => join(repo, 'testdata', 'files', name);
export const samples = () => readdirSync(join(repo, 'testdata', 'files')).sort();
export const execute = promisify(execFile);

const made = [];
process.on('exit', () => made.forEach((d) => rmSync(d, { recursive: true, force: true })));

export function folder() {
  const dir = mkdtempSync(join(tmpdir(), 'bunzai-js-'));
  made.push(dir);
  return dir;
}

let installed;
/** A new folder with the packed package installed, alone, and files written into it. npm itself installs it once. */
export function project(files = {}, { type = 'module' } = {}) {
  if (!installed) {
    const at = folder();
    const [{ filename }] = JSON.parse(execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', at], { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }));
    installed = join(at, 'project');
    mkdirSync(installed);
    writeFileSync(join(installed, 'package.json'), '{"private":true}');
    execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', join(at, filename)], { cwd: installed, stdio: ['ignore', 'ignore', 'pipe'] });
  }
  const dir = folder();
  cpSync(installed, dir, { recursive: true, verbatimSymlinks: true });
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ private: true, type }));
  for (const [from, to] of [['full.charx', 'card.charx'], ['both-same.png', 'card.png'], ['v3.json', 'card.json']]) cpSync(sample(from), join(dir, to));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  return dir;
}

/** Lets a project see one of the development packages. */
export function lend(dir, name) {
  mkdirSync(dirname(join(dir, 'node_modules', name)), { recursive: true });
  symlinkSync(join(modules, name), join(dir, 'node_modules', name));
}

/** The README's examples: { run, lang, code }. */
export function examples() {
  const text = readFileSync(join(root, 'README.md'), 'utf8');
  return [...text.matchAll(/(?:<!-- run: (\S+) -->\n)?```(\w+)\n([\s\S]*?)```\n/g)].map(([, run, lang, code]) => ({ run, lang, code }));
}

/** Runs a program to its end: { code, stdout, stderr } with stdout as bytes. */
export function run(command, args, { cwd, input, env } = {}) {
  return new Promise((resolve, reject) => {
    const p = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: 'pipe', timeout: 300_000 });
    const out = [], err = [];
    p.stdout.on('data', (b) => out.push(b));
    p.stderr.on('data', (b) => err.push(b));
    p.on('error', reject);
    p.on('close', (code, signal) => resolve({ code: code ?? signal, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString() }));
    p.stdin.on('error', () => {});
    p.stdin.end(input);
  });
}

/** Chromium, or an error that says what is missing, within bounded time. */
export async function chromium() {
  const { default: puppeteer } = await import('puppeteer-core');
  let executablePath;
  for (const name of ['chromium', 'google-chrome']) {
    try {
      executablePath = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
      break;
    } catch { /* the next one */ }
  }
  if (!executablePath) throw new Error('chromium is missing: apt-get install chromium');
  return puppeteer.launch({ executablePath, headless: true, timeout: 120_000, protocolTimeout: 300_000, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
}
