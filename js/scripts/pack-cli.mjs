// Packs the command line's module: dist/cli.wasm.br of the file named. It is only read by Node, which unpacks it.
import { readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';

const [from, to] = process.argv.slice(2);
const raw = readFileSync(from);
const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: raw.length };
writeFileSync(to, brotliCompressSync(raw, { params }));
