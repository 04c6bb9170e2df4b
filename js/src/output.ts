import { BunzaiError } from './errors.js';
import type { Opened } from './input.js';
import type { Job } from './job.js';
import type { ConversionData, OutputForm } from './types.js';

/** A result in pieces: bytes of its own, and [offset, length] of the input. */
export type Part = Uint8Array | readonly [offset: number, length: number];

const STEP = 1 << 20;

/** Puts a result together in the form that was asked for. A stream closes the input at its end; the others do not. */
export async function assemble(parts: readonly Part[], size: number, type: string, from: Opened, form: OutputForm, job: Job): Promise<Exclude<ConversionData, null>> {
  if (form === 'stream') return stream(parts, from);
  let done = 0;
  const wrote = (n: number): void => {
    done += n;
    job.progress('write', done, size);
    job.check();
  };
  if (form === 'bytes') {
    let out: Uint8Array;
    try {
      out = new Uint8Array(size);
    } catch (e) {
      throw new BunzaiError({ code: 'internal', message: `the result has ${size} bytes, more than fits into memory here; ask for output "stream" or "blob"` }, { cause: e });
    }
    let at = 0;
    for (const p of parts) {
      if (p instanceof Uint8Array) {
        out.set(p, at);
        at += p.byteLength;
        wrote(p.byteLength);
        continue;
      }
      for await (const b of pieces(p, from)) {
        out.set(b, at);
        at += b.byteLength;
        wrote(b.byteLength);
      }
    }
    return out;
  }
  const list: (Uint8Array | Blob)[] = [];
  for (const p of parts) {
    if (p instanceof Uint8Array) list.push(p);
    else if (from.blob) list.push(from.blob.slice(p[0], p[0] + p[1]));
    else if (from.bytes) list.push(from.bytes.subarray(p[0], p[0] + p[1]));
    else for await (const b of pieces(p, from)) list.push(new Blob([b as BlobPart]));
    wrote(p instanceof Uint8Array ? p.byteLength : p[1]);
  }
  return new Blob(list as BlobPart[], { type });
}

/** The bytes of a range, in pieces. */
async function* pieces([offset, length]: readonly [number, number], from: Opened): AsyncGenerator<Uint8Array> {
  if (from.bytes) {
    yield from.bytes.subarray(offset, offset + length);
    return;
  }
  const end = offset + length;
  for (let at = offset; at < end; at += STEP) {
    const n = Math.min(STEP, end - at);
    const b = from.blob ? new Uint8Array(await from.blob.slice(at, at + n).arrayBuffer()) : await from.file!.read(at, n);
    if (b.byteLength !== n) throw new BunzaiError({ code: 'damaged', message: 'the file became shorter while it was read. Open it again' });
    yield b;
  }
}

function stream(parts: readonly Part[], from: Opened): ReadableStream<Uint8Array> {
  async function* all(): AsyncGenerator<Uint8Array> {
    for (const p of parts) {
      if (p instanceof Uint8Array) yield p;
      // Readers may take a chunk's memory for themselves, and the input's is the caller's.
      else for await (const b of pieces(p, from)) yield from.bytes ? b.slice() : b;
    }
  }
  const chunks = all();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await chunks.next();
        if (done) {
          await from.close();
          controller.close();
        } else {
          controller.enqueue(value);
        }
      } catch (e) {
        await from.close();
        throw e;
      }
    },
    async cancel() {
      await chunks.return(undefined);
      await from.close();
    },
  }, { highWaterMark: 0 });
}
