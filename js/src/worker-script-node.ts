// The script of a pool's thread in Node.
import { readSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import type { Opened } from './input.js';
import { serve } from './serve.js';

/** A file by its number, which is good in every thread. This thread does nothing else, so it reads without waiting in turn. */
const file = (fd: number, size: number): Opened => ({
  size,
  file: {
    fd,
    async read(offset, length) {
      const out = new Uint8Array(length);
      let n = 0;
      while (n < length) {
        const got = readSync(fd, out, n, length - n, offset + n);
        if (got === 0) break;
        n += got;
      }
      return n < length ? out.subarray(0, n) : out;
    },
  },
  close: async () => {},
});

parentPort!.on('message', (m) => void serve(m, file, (answer, transfer) => parentPort!.postMessage(answer, transfer)));
