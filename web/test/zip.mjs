// Writes a ZIP of stored entries to disk as a stream: as large as wanted, in little memory.
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { crc32 } from './png.mjs';

/** entries: [name, bytes, crc?]; a crc known beforehand saves counting the same bytes again. */
export async function writeZip(path, entries) {
  const out = createWriteStream(path, { highWaterMark: 1 << 22 });
  const directory = [];
  let at = 0;
  const put = async (b) => {
    at += b.length;
    if (!out.write(b)) await once(out, 'drain');
  };
  for (const [name, body, known] of entries) {
    const label = Buffer.from(name);
    const crc = known ?? crc32(body);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(20, 4);
    local.writeUInt16LE(0x0800, 6);
    local.writeUInt16LE(0x21, 12);
    local.writeUInt32LE(crc, 14);
    local.writeUInt32LE(body.length, 18);
    local.writeUInt32LE(body.length, 22);
    local.writeUInt16LE(label.length, 26);
    const head = Buffer.alloc(46);
    head.writeUInt32LE(0x02014b50, 0);
    head.writeUInt16LE(20, 4);
    local.copy(head, 6, 4, 30);
    head.writeUInt32LE(at, 42);
    directory.push(head, label);
    await put(local);
    await put(label);
    await put(body);
  }
  const start = at;
  for (const b of directory) await put(b);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(at - start, 12);
  end.writeUInt32LE(start, 16);
  await put(end);
  out.end();
  await once(out, 'finish');
  return at;
}
