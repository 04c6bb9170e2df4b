#!/usr/bin/env node
// `bunzai` on the command line: the program of cmd/bunzai, compiled for WebAssembly, with this process's files, standard
// streams and exit code. Flags, words and exit codes are its own.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { goVersion, loadGo } from './wasm_exec.js';

type Done<T> = (e: NodeJS.ErrnoException | null, value?: T) => void;

/** Pipes and terminals may be set not to wait; what they cannot take or give now is asked for again. */
function patiently<T>(work: (done: Done<T>) => void, done: Done<T>): void {
  work((e, value) => {
    if (e?.code === 'EAGAIN') setTimeout(() => patiently(work, done), 5);
    else if (e?.code === 'EOF') done(null, 0 as T); // the end of standard input on Windows
    else done(e, value);
  });
}

const files = {
  ...fs,
  write: (fd: number, b: Uint8Array, offset: number, length: number, position: number | null, done: Done<number>) =>
    patiently<number>((d) => fs.write(fd, b, offset, length, position, d), done),
  read: (fd: number, b: Uint8Array, offset: number, length: number, position: number | null, done: Done<number>) =>
    patiently<number>((d) => fs.read(fd, b, offset, length, position, d), done),
};

const names = ['Object', 'Array', 'Uint8Array', 'Error', 'TypeError', 'Promise', 'JSON', 'Reflect', 'Date', 'crypto', 'performance', 'TextEncoder', 'TextDecoder'];
const outer = globalThis as unknown as Record<string, unknown>;
const world: Record<string, unknown> = { fs: files, path, process };
for (const n of names) world[n] = outer[n];
const go = new (loadGo(world))();
// Windows writes folders with backslashes, the program with slashes; Windows takes both.
const args = process.argv.slice(2).map((a) => (process.platform === 'win32' ? a.replaceAll('\\', '/') : a));
go.argv = ['bunzai', ...args];
go.env = { TMPDIR: os.tmpdir().replaceAll('\\', '/') };
let ended = false;
go.exit = (code) => {
  ended = true;
  process.exit(code);
};
process.on('exit', (code) => {
  if (code === 0 && !ended) process.exitCode = 1;
});

try {
  const wasm = brotliDecompressSync(fs.readFileSync(new URL('./cli.wasm.br', import.meta.url)));
  const module = await WebAssembly.compile(wasm as BufferSource);
  await go.run(await WebAssembly.instantiate(module, go.importObject as WebAssembly.Imports));
} catch (e) {
  console.error(`bunzai: the program stopped (${e instanceof Error ? e.message : String(e)}; ${goVersion})`);
  process.exit(1);
}
