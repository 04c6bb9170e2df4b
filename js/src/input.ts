import { BunzaiError, badArgument } from './errors.js';
import type { Job } from './job.js';
import { platform } from './platform.js';
import type { LimitsProfile, Ranged } from './types.js';

/** An input that is ready to be read. Exactly one of bytes, blob and file is set. */
export interface Opened {
  size: number;
  /** The input's own name, when it has one. */
  name?: string;
  bytes?: Uint8Array;
  blob?: Blob;
  /** A file of Node, read by offset; its number is good in every thread of the process. */
  file?: { fd: number; read(offset: number, length: number): Promise<Uint8Array> };
  /** Lets the input go. */
  close(): Promise<void>;
}

const nothing = async (): Promise<void> => {};

export const ofBytes = (bytes: Uint8Array): Opened => ({ size: bytes.byteLength, bytes, close: nothing });
export const ofBlob = (blob: Blob): Opened => ({ size: blob.size, blob, close: nothing });

/** Streams up to this size become bytes; larger ones a Blob, which browsers keep out of the page's memory. */
const SMALL = 8 << 20;

/** How much a stream may bring: the largest archive that each profile of `limits` reads. */
const BOUNDS: Record<LimitsProfile, number> = { card: 96 * 2 ** 20, large: 2 * 2 ** 30, edge: 24 * 2 ** 20 };

/** Makes any input readable. */
export async function open(input: unknown, limits: LimitsProfile | undefined, job: Job): Promise<Opened> {
  const opened = await openAny(input, limits, job);
  if (!platform.independent || !opened.blob) return opened;
  const { blob } = opened;
  const max = BOUNDS[limits ?? 'card'] ?? BOUNDS.card;
  if (blob.size > max) throw overLimit(max, blob.size, limits);
  const whole = ofBytes(new Uint8Array(await job.race(blob.arrayBuffer())));
  return opened.name === undefined ? whole : { ...whole, name: opened.name };
}

async function openAny(input: unknown, limits: LimitsProfile | undefined, job: Job): Promise<Opened> {
  if (input instanceof Uint8Array) return ofBytes(input);
  if (input instanceof ArrayBuffer || (typeof SharedArrayBuffer !== 'undefined' && input instanceof SharedArrayBuffer)) return ofBytes(new Uint8Array(input));
  if (ArrayBuffer.isView(input)) return ofBytes(new Uint8Array(input.buffer, input.byteOffset, input.byteLength));
  if (typeof Blob !== 'undefined' && input instanceof Blob) {
    const { name } = input as { name?: unknown };
    return typeof name === 'string' && name !== '' ? { ...ofBlob(input), name } : ofBlob(input);
  }
  const own = platform.open(input);
  if (own) return own;
  if (typeof Response !== 'undefined' && input instanceof Response) {
    if (!input.ok) throw badArgument(`the Response is an error page: ${input.url || 'the server'} answered ${`${input.status} ${input.statusText}`.trim()}`);
    if (input.bodyUsed) throw badArgument('the Response was read already; pass one that nobody has read, or its bytes');
    const opened = input.body ? await gather(fromStream(input.body), limits, job, lengthOf(input)) : ofBytes(new Uint8Array(0));
    const name = lastName(input.url);
    return name ? { ...opened, name } : opened;
  }
  if (typeof ReadableStream !== 'undefined' && input instanceof ReadableStream) {
    if (input.locked) throw badArgument('the ReadableStream is locked: somebody else reads it');
    return gather(fromStream(input as ReadableStream<unknown>), limits, job, null);
  }
  if (typeof input === 'object' && input !== null && Symbol.asyncIterator in input) {
    return gather((input as AsyncIterable<unknown>)[Symbol.asyncIterator](), limits, job, null);
  }
  if (typeof input === 'string' || input instanceof URL) {
    throw badArgument(`the input is ${typeof input === 'string' ? 'a string' : 'a URL'}; bunzai fetches nothing by itself: fetch the address and pass the Response, or pass the file's bytes (paths are for Node)`);
  }
  throw badArgument(`the input must be a Uint8Array, an ArrayBuffer, a Blob, a File, a Response, a ReadableStream, or in Node a path or a FileHandle, and this is ${what(input)}`);
}

function what(v: unknown): string {
  if (v === undefined || v === null) return String(v);
  return typeof v === 'object' ? 'another object' : `a ${typeof v}`;
}

function lastName(url: string): string {
  try {
    return decodeURIComponent(new URL(url).pathname.split('/').pop() ?? '');
  } catch {
    return '';
  }
}

function lengthOf(r: Response): number | null {
  const n = Number(r.headers.get('content-length') ?? NaN);
  // A packed body has another length than its content.
  return Number.isSafeInteger(n) && !r.headers.get('content-encoding') ? n : null;
}

interface Chunks {
  next(): Promise<IteratorResult<unknown, unknown>>;
  return?(value?: unknown): unknown;
}

function fromStream(stream: ReadableStream<unknown>): Chunks {
  const reader = stream.getReader();
  return {
    next: () => reader.read() as Promise<IteratorResult<unknown, unknown>>,
    return: (why) => reader.cancel(why),
  };
}

/** Reads a stream to its end, at most as much as the limits allow. */
async function gather(chunks: Chunks, limits: LimitsProfile | undefined, job: Job, total: number | null): Promise<Opened> {
  const max = BOUNDS[limits ?? 'card'] ?? BOUNDS.card;
  let list: Uint8Array[] = [];
  let listed = 0;
  let size = 0;
  const packed: Blob[] = [];
  try {
    if (total !== null && total > max) throw overLimit(max, total, limits);
    for (;;) {
      const { done, value } = await job.race(chunks.next());
      if (done) break;
      if (!(value instanceof Uint8Array)) throw badArgument(`the stream must bring Uint8Arrays, and this one brought ${what(value)}`);
      size += value.byteLength;
      if (size > max) throw overLimit(max, 0, limits);
      list.push(value);
      listed += value.byteLength;
      if (listed > SMALL && !platform.independent) {
        packed.push(new Blob(list as BlobPart[]));
        list = [];
        listed = 0;
      }
      job.progress('read', size, total);
    }
  } catch (e) {
    void Promise.resolve(chunks.return?.(e)).catch(() => {});
    if (e instanceof BunzaiError) throw e;
    throw new BunzaiError({ code: 'damaged', message: `the input could not be read to its end: ${e instanceof Error ? e.message : String(e)}` }, { cause: e });
  }
  if (packed.length > 0) return ofBlob(new Blob([...packed, ...(list as BlobPart[])]));
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const c of list) {
    bytes.set(c, at);
    at += c.byteLength;
  }
  return ofBytes(bytes);
}

function overLimit(value: number, found: number, limits: LimitsProfile | undefined): BunzaiError {
  const amount = (n: number): string => (n >= 2 ** 30 ? `${Math.round((n / 2 ** 30) * 10) / 10} GiB` : `${Math.round((n / 2 ** 20) * 10) / 10} MiB`);
  const raise = limits === 'large' ? '' : limits === 'edge' ? 'convert it on the page or with the command line, where the limits are higher' : 'open it with large limits';
  return new BunzaiError({
    code: 'limit',
    message: `the limit Archive is ${amount(value)}, and this file has ${found > 0 ? amount(found) : 'more'}${raise ? `; ${raise}` : ''}`,
    limit: { name: 'Archive', value, found, unit: 'bytes', raise },
  });
}

interface SyncReader {
  readAsArrayBuffer(b: Blob): ArrayBuffer;
}

/** The input as the engine reads it. A cancelled job's reads fail, which ends the engine's work on it. */
export function forEngine(from: Opened, job: Job): Uint8Array | Blob | Ranged {
  if (from.bytes) {
    job.progress('read', from.size, from.size);
    return from.bytes;
  }
  const { blob } = from;
  if (blob && !job.watched) return blob;
  let taken = 0;
  const count = (n: number): void => {
    taken = Math.min(taken + n, from.size);
    job.progress('read', taken, from.size);
    job.check();
  };
  const file = blob ? fileOfBlob(blob) : from.file!;
  const ranged: Ranged = {
    size: from.size,
    read(offset, length) {
      job.check();
      const got = file.read(offset, length);
      if (got instanceof Uint8Array) {
        count(length);
        return got;
      }
      return job.race(got).then((b) => {
        count(length);
        return b;
      });
    },
  };
  if (blob) ranged.slice = (a, b) => blob.slice(a, b);
  return ranged;
}

function fileOfBlob(blob: Blob): { read(offset: number, length: number): Uint8Array | Promise<Uint8Array> } {
  const Sync = (globalThis as { FileReaderSync?: new () => SyncReader }).FileReaderSync;
  if (Sync) {
    const reader = new Sync();
    return { read: (o, n) => new Uint8Array(reader.readAsArrayBuffer(blob.slice(o, o + n))) };
  }
  return { read: async (o, n) => new Uint8Array(await blob.slice(o, o + n).arrayBuffer()) };
}
