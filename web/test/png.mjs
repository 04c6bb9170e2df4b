// Just enough PNG to make and check card files in tests.
import * as zlib from 'node:zlib';

export const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);

const table = Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});

export function crc32(bytes) {
  
  let c = 0xffffffff;
  for (const b of bytes) c = table[(c ^ b) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

export function chunk(type, data) {
  const out = Buffer.alloc(12 + data.length);
  out.writeUInt32BE(data.length, 0);
  out.write(type, 4, 'latin1');
  data.copy(out, 8);
  out.writeUInt32BE(crc32(out.subarray(4, 8 + data.length)), 8 + data.length);
  return out;
}

export function readChunks(png) {
  if (!png.subarray(0, 8).equals(SIGNATURE)) throw new Error('not a PNG');
  const out = [];
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    const data = png.subarray(at + 8, at + 8 + length);
    if (png.readUInt32BE(at + 8 + length) !== crc32(png.subarray(at + 4, at + 8 + length))) throw new Error('wrong CRC');
    out.push({ type: png.toString('latin1', at + 4, at + 8), data });
    at += 12 + length;
  }
  return out;
}

/** A picture of one colour, with a card in a tEXt chunk `chara`; without a card when card is undefined. */
export function cardPNG(card, { width = 8, height = 12, rgb = [40, 110, 90], key = 'chara' } = {}) {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const row = Buffer.from([0, ...Array.from({ length: width }, () => rgb).flat()]);
  const parts = [SIGNATURE, chunk('IHDR', head), chunk('IDAT', zlib.deflateSync(Buffer.concat(Array(height).fill(row))))];
  if (card !== undefined) {
    const text = Buffer.from(JSON.stringify(card)).toString('base64');
    parts.push(chunk('tEXt', Buffer.from(`${key}\0${text}`, 'latin1')));
  }
  return Buffer.concat([...parts, chunk('IEND', Buffer.alloc(0))]);
}

/** The JSON text that a PNG's text chunk carries, as bytes; null when there is none. */
export function payloadIn(png, key = 'chara') {
  if (!png.subarray(0, 8).equals(SIGNATURE)) return null;
  for (const c of readChunks(png)) {
    if (c.type !== 'tEXt') continue;
    const nul = c.data.indexOf(0);
    if (c.data.toString('latin1', 0, nul).toLowerCase() === key) return Buffer.from(c.data.toString('latin1', nul + 1), 'base64');
  }
  return null;
}

/** The card in it. */
export function cardIn(png, key = 'chara') {
  const text = payloadIn(png, key);
  return text && JSON.parse(text.toString());
}
