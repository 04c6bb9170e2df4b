// Files for the tests, made here: cards, archives, and files that were made to hurt.
import { deflateRawSync, deflateSync } from 'node:zlib';

const table = Array.from({ length: 256 }, (_, n) => { for (let k = 0; k < 8; k++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1; return n >>> 0; });
export const crc32 = (b) => { let c = 0xffffffff; for (const x of b) c = (c >>> 8) ^ table[(c ^ x) & 255]; return (c ^ 0xffffffff) >>> 0; };

const u16 = (n) => { const b = Buffer.alloc(2); b.writeUInt16LE(n); return b; };
const u32 = (n) => { const b = Buffer.alloc(4); b.writeUInt32LE(n); return b; };

/** An archive. Entries: name, data, packed (data are deflated by hand), size (states another one). */
export function zip(entries) {
  const parts = [], directory = [];
  let at = 0;
  for (const e of entries) {
    const name = Buffer.from(e.name);
    const crc = e.crc ?? crc32(e.data);
    const meta = Buffer.concat([u16(e.packed ? 8 : 0), u32(0x5a210000), u32(crc), u32(e.data.length), u32(e.size ?? e.data.length), u16(name.length), u16(0)]);
    const local = Buffer.concat([u32(0x04034b50), u16(20), u16(0), meta, name, e.data]);
    directory.push(Buffer.concat([u32(0x02014b50), u16(20), u16(20), u16(0), meta, u16(0), u16(0), u16(0), u32(0), u32(at), name]));
    parts.push(local);
    at += local.length;
  }
  const d = Buffer.concat(directory);
  return Buffer.concat([...parts, d, u32(0x06054b50), u16(0), u16(0), u16(entries.length & 65535), u16(entries.length & 65535), u32(d.length), u32(at), u16(0)]);
}

/** JSON of a V3 card. */
export const card = (data = {}) => Buffer.from(JSON.stringify({
  spec: 'chara_card_v3', spec_version: '3.0',
  data: {
    name: 'Ada', description: 'A test.', personality: '', scenario: '', first_mes: 'Hello.', mes_example: '', creator_notes: '', system_prompt: '', post_history_instructions: '',
    alternate_greetings: [], tags: [], creator: '', character_version: '', extensions: {}, group_only_greetings: [], ...data,
  },
}));

/** Bytes that do not compress, the same every time. */
export function noise(n, seed = 1) {
  const b = Buffer.alloc(n);
  for (let i = 0; i + 4 <= n; i += 4) {
    seed ^= seed << 13; seed ^= seed >>> 17; seed ^= seed << 5;
    b.writeInt32LE(seed, i);
  }
  return b;
}

/** A CHARX of about that many bytes: stored pictures beside a card. */
export function charx(bytes) {
  const n = Math.max(1, Math.floor(bytes / (1 << 20)));
  const assets = Array.from({ length: n }, (_, i) => ({ type: i ? 'emotion' : 'icon', name: i ? `e${i}` : 'main', ext: 'png', uri: `embeded://assets/icon/image/e${i}.png` }));
  return zip([{ name: 'card.json', data: card({ assets }) }, ...assets.map((a, i) => ({ name: a.uri.slice(10), data: noise(1 << 20, i + 1) }))]);
}

export const chunk = (type, data, length = data.length) => {
  const t = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const b = Buffer.alloc(4), c = Buffer.alloc(4);
  b.writeUInt32BE(length);
  c.writeUInt32BE(crc32(t));
  return Buffer.concat([b, t, c]);
};
const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const ihdr = chunk('IHDR', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]));
const pixels = chunk('IDAT', deflateSync(Buffer.from([0, 0])));
export const png = (...chunks) => Buffer.concat([signature, ihdr, ...chunks, pixels, chunk('IEND', Buffer.alloc(0))]);
export const cardPNG = (json) => png(chunk('tEXt', Buffer.from(`ccv3\0${json.toString('base64')}`, 'latin1')));

const inject = (members) => Buffer.from(card({ extensions: { at: '@@' } }).toString().replace('"@@"', () => members));
const zeros = (n) => Buffer.alloc(n);

/** Files that were made to hurt, and the answer that each gets. */
export function hostile() {
  const bomb = deflateRawSync(zeros(256 << 20), { level: 9 });
  const many = Array.from({ length: 60_000 }, (_, i) => ({ name: `a/${i}`, data: Buffer.from('x') }));
  return [
    ['ZIP: card.json of 256 MB', zip([{ name: 'card.json', data: bomb, packed: true, size: 256 << 20, crc: 0 }]), 413],
    ['ZIP: card.json of 256 MB that states 100 bytes', zip([{ name: 'card.json', data: bomb, packed: true, size: 100, crc: 0 }]), 413],
    ['ZIP: a picture of 256 MB', zip([{ name: 'card.json', data: card({ assets: [{ type: 'icon', name: 'main', ext: 'png', uri: 'embeded://i.png' }] }) }, { name: 'i.png', data: bomb, packed: true, size: 256 << 20, crc: 0 }]), [200, 413]],
    ['ZIP: 60,000 entries', zip([{ name: 'card.json', data: card() }, ...many]), 413],
    ['ZIP: empty', zip([]), 422],
    ['ZIP: cut', charx(2 << 20).subarray(0, 1 << 20), [200, 422]],
    ['PNG: a chunk that states 2 GB', Buffer.concat([png().subarray(0, 33), chunk('tEXt', Buffer.from('ccv3\0e30='), 0x7fffffff)]), [415, 422]],
    ['PNG: a chunk that states 4 GB', Buffer.concat([png().subarray(0, 33), chunk('tEXt', Buffer.from('ccv3\0e30='), 0xffffffff)]), [415, 422]],
    ['PNG: zTXt of 256 MB', png(chunk('zTXt', Buffer.concat([Buffer.from('ccv3\0\0'), deflateSync(zeros(256 << 20), { level: 9 })]))), 413],
    ['PNG: 200,000 chunks', png(Buffer.concat(Array.from({ length: 200_000 }, () => chunk('tEXt', Buffer.from('a\0b'))))), 413],
    ['JSON: 100,000 levels', inject('['.repeat(100_000) + ']'.repeat(100_000)), 413],
    ['JSON: 1,000,000 tags', card({ tags: Array.from({ length: 1e6 }, () => 'a') }), 413],
    ['JSON: 1,000,000 empty lists', inject(`[${'[],'.repeat(1e6)}0]`), [200, 413]],
    ['JSON: one text of 11 MB', card({ description: 'x'.repeat(11 << 20) }), [200, 413]],
    ['JSON: 13 MB', card({ description: 'x'.repeat(13 << 20) }), 413],
    ['JSON: names of the prototype', inject('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'), 200],
    ['nothing known', noise(4 << 20), 415],
  ];
}
