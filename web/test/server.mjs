// A small static host, as an ordinary one behaves; `answer` lets a test misbehave for one path.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.png': 'image/png', '.wasm': 'application/wasm' };

export const folder = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

/** Serves root under base ("/" or "/some/path/"). Asked paths are kept in `asked`. */
export async function serve(root, { base = '/', answer = () => null } = {}) {
  const asked = [];
  const server = createServer(async (req, res) => {
    const path = decodeURIComponent(new URL(req.url, 'http://x').pathname);
    asked.push(path);
    const own = answer(path);
    if (own) {
      const body = own.body ?? (await readFile(join(root, normalize(path.slice(base.length)))));
      res.writeHead(own.status ?? 200, { 'content-type': own.type ?? 'text/html' }).end(body);
      return;
    }
    if (!path.startsWith(base)) return void res.writeHead(404, { 'content-type': 'text/html' }).end('<h1>404</h1>');
    const file = normalize(path.slice(base.length)) || '.';
    try {
      const full = join(root, file === '.' || file.endsWith('/') ? join(file, 'index.html') : file);
      const body = await readFile(full);
      res.writeHead(200, { 'last-modified': 'Mon, 01 Jan 2024 00:00:00 GMT', 'content-type': types[extname(full)] ?? 'application/octet-stream' }).end(body);
    } catch {
      res.writeHead(404, { 'content-type': 'text/html' }).end('<h1>404</h1>');
    }
  });
  await new Promise((r) => server.listen(0, '127.0.0.1', r));
  const { port } = server.address();
  return {
    url: `http://127.0.0.1:${port}${base}`,
    asked,
    close: () => new Promise((r) => {
      server.closeAllConnections();
      server.close(r);
    }),
  };
}
