import { Engines } from './engines.js';
import { asBunzaiError, plainError } from './errors.js';
import { ofBlob, ofBytes, type Opened } from './input.js';
import { Job } from './job.js';
import type { FromThread, ToThread } from './pool.js';

const engines = new Engines();
let ready: Promise<void> | null = null;

/** A thread's side of a pool: does what one message asks. */
export async function serve(m: ToThread, file: (fd: number, size: number) => Opened, post: (m: FromThread, transfer: ArrayBuffer[]) => void): Promise<void> {
  const { id } = m;
  try {
    if (m.module) ready = engines.init({ wasm: m.module });
    await ready;
    const from = !m.input ? null : 'bytes' in m.input ? ofBytes(m.input.bytes) : 'blob' in m.input ? ofBlob(m.input.blob) : file(m.input.fd, m.input.size);
    const job = new Job(m.watched ? { onProgress: (progress) => post({ id, progress }, []) } : {});
    const value = await engines.run(m.method, from, m.options, job);
    post({ id, value }, transferable(value));
  } catch (e) {
    post({ id, error: plainError(asBunzaiError(e)) }, []);
  }
}

/** The memory of a result's own bytes, which moves instead of being copied. */
function transferable(value: unknown): ArrayBuffer[] {
  const { data, parts } = (value ?? {}) as { data?: unknown; parts?: unknown[] };
  const out: ArrayBuffer[] = [];
  for (const b of [data, ...(Array.isArray(parts) ? parts : [])]) {
    if (b instanceof Uint8Array && b.buffer instanceof ArrayBuffer) out.push(b.buffer);
  }
  return out;
}
