/** Bodies are kept in blocks of this many bytes, so that an unknown length costs at most one block too much. */
export const BLOCK = 1 << 20;

/** The bytes of a request, read and counted. All blocks but the last are full. */
export class Body {
  readonly blocks: Uint8Array[] = [];
  size = 0;

  /** Bytes that are already in memory. */
  static of(bytes: Uint8Array): Body {
    const b = new Body();
    for (let at = 0; at < bytes.length; at += BLOCK) b.blocks.push(bytes.subarray(at, at + BLOCK));
    b.size = bytes.length;
    return b;
  }

  /** The ranges that make up n bytes from off. */
  *ranges(off: number, n: number): Generator<Uint8Array> {
    while (n > 0) {
      const block = this.blocks[Math.floor(off / BLOCK)];
      if (!block) throw new RangeError('outside the body');
      const at = off % BLOCK;
      const part = block.subarray(at, at + n);
      if (part.length === 0) throw new RangeError('outside the body');
      yield part;
      off += part.length;
      n -= part.length;
    }
  }
}

/** Thrown by `readBody` for a body with more bytes than allowed; nothing more of it is read. */
export class TooLarge extends Error {}

/** Thrown by `readBody` when there is no room for the body now. */
export class NoRoom extends Error {}

/** How long a body waits for room, in ms. */
const PATIENCE = 5000;

/** Bodies below this many bytes get a buffer of their own. */
const SMALL = 64 << 10;

/**
 * One buffer that an earlier body lay in: new memory costs more than reading does. What was in it is never seen, since a
 * body is what was read.
 */
let spare: ArrayBuffer | null = null;

function buffer(n: number): Uint8Array<ArrayBuffer> {
  const b = spare;
  if (n < SMALL || !b || b.byteLength < n) return new Uint8Array(n);
  spare = null;
  return new Uint8Array(b, 0, n);
}

/** Gives a body's memory to the next one. Nothing may look at the body or a range of it afterwards. */
export function release(body: Body): void {
  const b = body.blocks[0]?.buffer;
  body.blocks.length = 0;
  if (b instanceof ArrayBuffer && b.byteLength >= SMALL && b.byteLength > (spare?.byteLength ?? 0)) spare = b;
}

/** Reads a stream to its end, counting. `room` is asked for every block before it is read. */
export async function readBody(stream: ReadableStream | null, declared: number, limit: number, room: (bytes: number) => boolean): Promise<Body> {
  const body = new Body();
  if (!stream) return body;
  const reader = stream.getReader({ mode: 'byob' });
  const stop = async (e: Error): Promise<never> => {
    await reader.cancel(e).catch(() => undefined);
    throw e;
  };
  // With a declared length the platform delivers exactly that much.
  const end = declared >= 0 ? declared : Infinity;
  while (body.size < end) {
    const want = Math.min(BLOCK, limit + 1 - body.size, end - body.size);
    // Others' bodies go quickly. Meanwhile nothing is read, so the client waits, too.
    for (let waited = 0; !room(want); waited += 50) {
      if (waited >= PATIENCE) await stop(new NoRoom('no room'));
      await scheduler.wait(50);
    }
    const { value, done } = await reader.readAtLeast(want, buffer(want));
    if (value && value.length > 0) {
      body.blocks.push(value);
      body.size += value.length;
    }
    if (body.size > limit) await stop(new TooLarge('too large'));
    if (done || !value || value.length < want) break;
  }
  return body;
}

/** Bytes that bodies and answers may hold at once in this isolate. One request's share is freed when it ends. */
export class Room {
  private readonly held = new Map<Share, number>();

  constructor(private readonly bytes: number, private readonly staleAfter: number) {}

  /** A new request's share, empty. */
  share(): Share {
    return new Share(this);
  }

  get used(): number {
    let n = 0;
    for (const v of this.held.values()) n += v;
    return n;
  }

  /** Adds to a share unless that would be too much. A share alone always fits. */
  add(share: Share, bytes: number): boolean {
    const before = this.held.get(share) ?? 0;
    const others = (): number => this.used - before;
    if (others() > 0 && others() + before + bytes > this.bytes) {
      // A client that vanished may have stopped its request without a word; what it held is long gone.
      const now = Date.now();
      for (const s of this.held.keys()) if (s !== share && now - s.since > this.staleAfter) this.held.delete(s);
      if (others() > 0 && others() + before + bytes > this.bytes) return false;
    }
    this.held.set(share, before + bytes);
    return true;
  }

  drop(share: Share): void {
    this.held.delete(share);
  }
}

/** One request's part of the room. */
export class Share {
  readonly since = Date.now();

  constructor(private readonly room: Room) {}

  add = (bytes: number): boolean => this.room.add(this, bytes);

  free(): void {
    this.room.drop(this);
  }
}

/** The pieces as one. */
export function joined(pieces: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(pieces.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const p of pieces) {
    out.set(p, at);
    at += p.length;
  }
  return out;
}
