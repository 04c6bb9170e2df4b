import { open as openFile, type FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BunzaiError, badArgument } from './errors.js';
import type { Opened } from './input.js';
import type { NodeFileHandle } from './types.js';

/** Opens a path, a `file:` URL or a FileHandle; null for any other input. */
export function openNode(input: unknown): Promise<Opened> | null {
  if (typeof input === 'string') {
    if (/^(https?|data|blob):/i.test(input)) return null;
    return ofPath(input);
  }
  if (input instanceof URL) return input.protocol === 'file:' ? ofPath(fileURLToPath(input)) : null;
  if (isHandle(input)) return ofHandle(input, async () => {});
  return null;
}

const isHandle = (v: unknown): v is NodeFileHandle => {
  const h = v as Partial<NodeFileHandle> | null;
  return typeof h === 'object' && h !== null && typeof h.fd === 'number' && typeof h.read === 'function' && typeof h.stat === 'function';
};

async function ofPath(path: string): Promise<Opened> {
  let handle: FileHandle;
  try {
    handle = await openFile(path, 'r');
  } catch (e) {
    throw cannot(path, e);
  }
  try {
    return { ...await ofHandle(handle, () => handle.close(), path), name: basename(path) };
  } catch (e) {
    await handle.close();
    throw e;
  }
}

async function ofHandle(handle: NodeFileHandle, close: () => Promise<void>, path = 'the FileHandle'): Promise<Opened> {
  let stat: Awaited<ReturnType<NodeFileHandle['stat']>>;
  try {
    stat = await handle.stat();
  } catch (e) {
    throw cannot(path, e);
  }
  if (stat.isDirectory()) throw badArgument(`${path} is a folder; name a file`);
  if (!stat.isFile()) throw badArgument(`${path} is a pipe or a device, which cannot be read by offset; pass a stream of it`);
  let open = true;
  return {
    size: Number(stat.size),
    file: {
      fd: handle.fd,
      async read(offset, length) {
        const out = new Uint8Array(length);
        let n = 0;
        while (n < length) {
          const { bytesRead } = await handle.read(out, n, length - n, offset + n);
          if (bytesRead === 0) break;
          n += bytesRead;
        }
        return n < length ? out.subarray(0, n) : out;
      },
    },
    async close() {
      if (!open) return;
      open = false;
      await close();
    },
  };
}

function cannot(path: string, e: unknown): BunzaiError {
  const { code, message } = e as { code?: string; message?: string };
  if (code === 'ENOENT') return badArgument(`there is no file ${path}`, e);
  if (code === 'EACCES' || code === 'EPERM') return badArgument(`no permission to open ${path}`, e);
  return new BunzaiError({ code: 'internal', message: `cannot open ${path}: ${message ?? String(e)}` }, { cause: e });
}
