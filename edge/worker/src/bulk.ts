// Bulk conversion on the platform's own engine: a folder of an R2 bucket goes through a queue, one message an object.
// Messages may come twice and in any order; every step can be repeated, and all state is in the bucket:
//
//   OUTjob.json              what was asked, and how many objects the folder had
//   OUTfiles/KEY.EXT         the converted objects
//   OUTitems/HASH.json       one for each object: what became of it, with the whole report
//   OUTmanifest/00001.json   the items, 200 a page; OUTmanifest.json says that all are there and counts them
import { Body, joined } from './body.js';
import type { Converted, Engine } from './engine.js';
import type { Env } from './env.js';

/** Kinds of file that a job may ask for, as GET /v1/openapi.json lists them. */
const containers = ['png', 'json', 'charx', 'jpeg', 'risum', 'risup', 'risupreset', 'yaml'] as const;

/** What to convert: the body of POST /v1/jobs. */
export interface Job {
  /** Prefix of the objects' keys, such as `cards/`. */
  from: string;
  /** Prefix of everything that is written, such as `converted/`. It must not lie in `from`, nor `from` in it. */
  out: string;
  /** The app, as GET /v1/formats names it. */
  to: string;
  container?: (typeof containers)[number];
  spec?: 'v2' | 'v3';
  allowLoss?: boolean;
}

/** One step of a job. */
export type Message =
  | { do: 'list'; job: Job; cursor?: string; listed: number; again?: number }
  | { do: 'convert'; job: Job; key: string; again?: number }
  | { do: 'finish'; job: Job; listed: number; again?: number }
  | { do: 'manifest'; job: Job; cursor?: string; page: number; counts: Counts; again?: number };

/** What became of the objects of a job. */
export interface Counts {
  done: number;
  refused: number;
  failed: number;
}

/** What became of one object. */
export interface Item {
  key: string;
  /** `done`; `refused`: the file itself is the reason, see `problem`; `failed`: every try failed. */
  status: 'done' | 'refused' | 'failed';
  /** SHA-256 of the object that was read. */
  source: string;
  file: string | null;
  fileName: string | null;
  mediaType: string | null;
  size: number;
  /** SHA-256 of the file that was written. */
  sha256: string | null;
  report: unknown;
  problem: unknown;
}

/** Answer of GET /v1/jobs. */
export interface JobStatus extends Counts {
  job: Job;
  /** Objects found; null while they are still being listed. */
  listed: number | null;
  /** Key of the manifest when it is complete. */
  manifest: string | null;
}

const LIST_PAGE = 500;
const MANIFEST_PAGE = 200;
const AT_ONCE = 6;
const BYTES_AT_ONCE = 24 << 20;

/** True for the queue of messages that failed for good. */
export const isDead = (queue: string): boolean => queue.endsWith('-dead');

/** True when the path belongs to bulk work and the bindings for it are there. */
export function ownsJobs(path: string, env: Env): boolean {
  return path === '/v1/jobs' && env.BUCKET !== undefined && env.QUEUE !== undefined;
}

const hex = (b: ArrayBuffer): string => Array.from(new Uint8Array(b), (x) => x.toString(16).padStart(2, '0')).join('');
const sha256 = async (b: BufferSource | string): Promise<string> => hex(await crypto.subtle.digest('SHA-256', typeof b === 'string' ? new TextEncoder().encode(b) : b));
const itemKey = async (job: Job, key: string): Promise<string> => `${job.out}items/${(await sha256(key)).slice(0, 32)}.json`;
const json = { httpMetadata: { contentType: 'application/json' } };
const same = (a: Job, b: Job): boolean => queryOf(a) === queryOf(b) && a.from === b.from && a.out === b.out;

function queryOf(job: Job): string {
  const q = new URLSearchParams({ to: job.to });
  if (job.container) q.set('container', job.container);
  if (job.spec) q.set('spec', job.spec);
  if (job.allowLoss) q.set('allowLoss', 'true');
  return q.toString();
}

function problem(status: number, code: string, title: string, detail: string, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify({ type: `/v1/problems/${code}`, title, status, detail, code, where: '', limit: null }), {
    status, headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', ...headers },
  });
}

async function authorized(request: Request, tokens: string): Promise<boolean> {
  const encoder = new TextEncoder();
  const given = await crypto.subtle.digest('SHA-256', encoder.encode(/^bearer +(.*)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? ''));
  let ok = false;
  for (const t of tokens.split(/[\s,]+/).filter(Boolean)) {
    ok = crypto.subtle.timingSafeEqual(given, await crypto.subtle.digest('SHA-256', encoder.encode(t))) || ok;
  }
  return ok;
}

function jobOf(v: unknown): Job | string {
  if (typeof v !== 'object' || v === null || Array.isArray(v)) return 'the body must be a JSON object';
  const known = ['from', 'out', 'to', 'container', 'spec', 'allowLoss'];
  const o = v as Record<string, unknown>;
  for (const k of Object.keys(o)) if (!known.includes(k)) return `there is no ${JSON.stringify(k.slice(0, 50))}; a job has: ${known.join(', ')}`;
  for (const k of ['from', 'out', 'to']) if (typeof o[k] !== 'string' || (o[k] as string).length > 500) return `${JSON.stringify(k)} must be text`;
  if (o.container !== undefined && !(containers as readonly unknown[]).includes(o.container)) return `"container" must be one of ${containers.join(', ')}`;
  if (o.spec !== undefined && !['v2', 'v3'].includes(o.spec as string)) return '"spec" must be one of v2, v3';
  if (o.allowLoss !== undefined && typeof o.allowLoss !== 'boolean') return '"allowLoss" must be true or false';
  const job = o as unknown as Job;
  if (!job.out.endsWith('/')) return '"out" must end with /';
  if (job.out.startsWith(job.from) || job.from.startsWith(job.out)) return '"out" must not lie in "from", nor "from" in it';
  return job;
}

/** POST /v1/jobs starts a job, GET /v1/jobs?out=PREFIX tells how far it is. Both want a token. */
export async function jobs(request: Request, url: URL, env: Env, limited: boolean): Promise<Response> {
  const { BUCKET, QUEUE } = env;
  if (!BUCKET || !QUEUE) throw new Error('no bindings');
  if (limited) return problem(429, 'too-many-requests', 'Too many requests', 'too many requests; try again later', { 'retry-after': '60' });
  if (!env.TOKENS) return problem(403, 'forbidden', 'Not open', 'bulk work is closed until the secret TOKENS is set');
  if (!(await authorized(request, env.TOKENS))) {
    return problem(401, 'unauthorized', 'A token is missing or wrong', 'send the header Authorization: Bearer TOKEN', { 'www-authenticate': 'Bearer realm="bunzai"' });
  }
  const bad = (detail: string): Response => problem(400, 'bad-argument', 'Wrong argument', detail);
  if (request.method === 'GET') {
    const out = url.searchParams.get('out') ?? '';
    const state = out && (await BUCKET.get(`${out}job.json`));
    if (!state) return problem(404, 'not-found', 'No such job', 'there is no job with this "out"; say which with ?out=PREFIX/');
    const { job, listed } = await state.json<{ job: Job; listed: number | null }>();
    const ready = await BUCKET.head(`${out}manifest.json`);
    return Response.json({ job, listed, ...(await count(BUCKET, job)), manifest: ready ? ready.key : null } satisfies JobStatus, { headers: { 'cache-control': 'no-store' } });
  }
  if (request.method !== 'POST') return problem(405, 'method-not-allowed', 'Method not allowed', 'GET and POST are answered here', { allow: 'GET, POST' });
  if (Number(request.headers.get('content-length') ?? 0) > 8192) return problem(413, 'limit', 'Over a limit', 'a job has at most 8 KiB');
  let job: Job | string;
  try {
    const text = await request.text();
    job = text.length > 8192 ? 'a job has at most 8 KiB' : jobOf(JSON.parse(text));
  } catch {
    return bad('the body must be JSON');
  }
  if (typeof job === 'string') return bad(job);
  const old = await BUCKET.get(`${job.out}job.json`);
  if (old && !same((await old.json<{ job: Job }>()).job, job)) {
    return problem(409, 'bad-argument', 'Taken', `another job writes to ${JSON.stringify(job.out)}; choose another "out"`);
  }
  await BUCKET.put(`${job.out}job.json`, JSON.stringify({ job, listed: null }), json);
  await BUCKET.delete(`${job.out}manifest.json`);
  await QUEUE.send({ do: 'list', job, listed: 0 } satisfies Message);
  return Response.json({ job, status: `/v1/jobs?out=${encodeURIComponent(job.out)}` }, { status: 202 });
}

async function count(bucket: R2Bucket, job: Job): Promise<Counts> {
  const counts: Counts = { done: 0, refused: 0, failed: 0 };
  let cursor: string | undefined;
  do {
    const page = await bucket.list({ prefix: `${job.out}items/`, include: ['customMetadata'], ...(cursor && { cursor }) });
    for (const o of page.objects) counts[(o.customMetadata?.status ?? 'failed') as keyof Counts]++;
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor);
  return counts;
}

/** The consumer. Every message is acknowledged when its work is in the bucket, and tried again otherwise. */
export async function work(batch: MessageBatch<Message>, env: Env, engine: Engine, _ctx: ExecutionContext): Promise<void> {
  const poll = Number(env.BULK_POLL ?? 10);
  const running = new Set<Promise<void>>();
  const bytes = { now: 0 };
  for (const m of batch.messages) {
    while (running.size >= AT_ONCE || (running.size > 0 && bytes.now > BYTES_AT_ONCE)) await Promise.race(running);
    const p: Promise<void> = step(m.body, env, engine, poll, bytes)
      .then(() => m.ack(), (e: unknown) => {
        console.log(JSON.stringify({ msg: 'retry', step: m.body.do, attempt: m.attempts, error: e instanceof Error ? e.name : 'unknown' }));
        m.retry({ delaySeconds: poll });
      })
      .finally(() => running.delete(p));
    running.add(p);
  }
  await Promise.all(running);
}

async function step(m: Message, env: Env, engine: Engine, poll: number, bytes: { now: number }): Promise<void> {
  const { BUCKET, QUEUE } = env;
  if (!BUCKET || !QUEUE) throw new Error('no bindings');
  switch (m.do) {
    case 'list': return list(m, BUCKET, QUEUE, poll);
    case 'convert': return convert(m.job, m.key, BUCKET, engine, bytes);
    case 'finish': {
      const c = await count(BUCKET, m.job);
      if (c.done + c.refused + c.failed < m.listed) {
        await QUEUE.send(m, { delaySeconds: poll });
        return;
      }
      await QUEUE.send({ do: 'manifest', job: m.job, page: 1, counts: { done: 0, refused: 0, failed: 0 } } satisfies Message);
      return;
    }
    case 'manifest': return manifest(m, BUCKET, QUEUE);
  }
}

async function list(m: Message & { do: 'list' }, bucket: R2Bucket, queue: Queue<unknown>, poll: number): Promise<void> {
  if (!m.cursor) await forgetFailed(bucket, m.job);
  const page = await bucket.list({ prefix: m.job.from, limit: LIST_PAGE, ...(m.cursor && { cursor: m.cursor }) });
  const keys = page.objects.map((o) => o.key).filter((k) => !k.endsWith('/'));
  for (let i = 0; i < keys.length; i += 100) {
    await queue.sendBatch(keys.slice(i, i + 100).map((key) => ({ body: { do: 'convert', job: m.job, key } satisfies Message })));
  }
  const listed = m.listed + keys.length;
  if (page.truncated) {
    await queue.send({ do: 'list', job: m.job, cursor: page.cursor, listed } satisfies Message);
    return;
  }
  await bucket.put(`${m.job.out}job.json`, JSON.stringify({ job: m.job, listed }), json);
  await queue.send({ do: 'finish', job: m.job, listed } satisfies Message, { delaySeconds: poll });
}

/** A job that starts again tries once more what failed for good. */
async function forgetFailed(bucket: R2Bucket, job: Job): Promise<void> {
  let cursor: string | undefined;
  do {
    const page = await bucket.list({ prefix: `${job.out}items/`, include: ['customMetadata'], ...(cursor && { cursor }) });
    const failed = page.objects.filter((o) => o.customMetadata?.status === 'failed').map((o) => o.key);
    if (failed.length > 0) await bucket.delete(failed);
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor);
}

async function convert(job: Job, key: string, bucket: R2Bucket, engine: Engine, bytes: { now: number }): Promise<void> {
  const to = await itemKey(job, key);
  const nothing = { file: null, fileName: null, mediaType: null, size: 0, sha256: null, report: null };
  const object = await bucket.get(key);
  if (!object) {
    await putItem(bucket, to, { ...nothing, key, status: 'failed', source: '', problem: { code: 'gone', detail: 'the object was deleted before it was read' } });
    return;
  }
  if (object.size > engine.maxBody) {
    await object.body.cancel();
    const detail = `this object has ${object.size} bytes, and the endpoint takes ${engine.maxBody}`;
    await putItem(bucket, to, { ...nothing, key, status: 'refused', source: '', problem: { code: 'limit', detail } });
    return;
  }
  bytes.now += object.size;
  try {
    const input = await object.arrayBuffer();
    const source = await sha256(input);
    const before = await bucket.head(to);
    const old = before?.customMetadata;
    if (old?.source === source && old.status === 'refused') return;
    if (old?.source === source && old.status === 'done' && old.file) {
      const file = await bucket.head(old.file);
      if (file?.customMetadata?.sha256 === old.sha256) return;
    }
    const c: Converted = engine.convert(key.slice(key.lastIndexOf('/') + 1), queryOf(job), Body.of(new Uint8Array(input)));
    if (!c.result) {
      if (!c.problem || c.problem.status >= 500) throw new Error('internal');
      await putItem(bucket, to, { ...nothing, key, status: 'refused', source, problem: c.problem });
      return;
    }
    const data = joined(c.pieces);
    const sum = await sha256(data);
    if (old?.source === source && old.sha256 && old.sha256 !== sum) throw new Error('other bytes than before');
    const ext = c.result.fileName.slice(c.result.fileName.lastIndexOf('.'));
    const file = `${job.out}files/${key.slice(job.from.length)}${ext}`;
    await bucket.put(file, data, { sha256: sum, httpMetadata: { contentType: c.result.mediaType }, customMetadata: { source, sha256: sum } });
    await putItem(bucket, to, {
      key, status: 'done', source, file, fileName: c.result.fileName, mediaType: c.result.mediaType, size: data.length, sha256: sum, report: c.result.report, problem: null,
    });
  } finally {
    bytes.now -= object.size;
  }
}

async function putItem(bucket: R2Bucket, key: string, item: Item): Promise<void> {
  const meta: Record<string, string> = { status: item.status, source: item.source };
  if (item.file && item.sha256) {
    meta.sha256 = item.sha256;
    // Metadata are small; a very long key is left out, and its object is then converted again when its message comes twice.
    if (new TextEncoder().encode(item.file).length <= 1024) meta.file = item.file;
  }
  await bucket.put(key, JSON.stringify(item), { ...json, customMetadata: meta });
}

/** A page of the manifest reads many objects, so one that fails is read again rather than all of them. */
async function steady<T>(read: () => Promise<T>): Promise<T> {
  for (let left = 4; ; left--) {
    try {
      return await read();
    } catch (e) {
      if (left === 0) throw e;
    }
  }
}

async function manifest(m: Message & { do: 'manifest' }, bucket: R2Bucket, queue: Queue<unknown>): Promise<void> {
  const page = await bucket.list({ prefix: `${m.job.out}items/`, limit: MANIFEST_PAGE, ...(m.cursor && { cursor: m.cursor }) });
  const items: Item[] = [];
  const counts = { ...m.counts };
  for (let i = 0; i < page.objects.length; i += AT_ONCE) {
    const some = await Promise.all(page.objects.slice(i, i + AT_ONCE).map(async (o) => {
      return steady(async () => {
        const got = await bucket.get(o.key);
        if (!got) throw new Error('an item is gone');
        return got.json<Item>();
      });
    }));
    for (const x of some) counts[x.status]++;
    items.push(...some);
  }
  const name = (n: number): string => `${m.job.out}manifest/${String(n).padStart(5, '0')}.json`;
  await bucket.put(name(m.page), JSON.stringify(items), json);
  if (page.truncated) {
    await queue.send({ do: 'manifest', job: m.job, cursor: page.cursor, page: m.page + 1, counts } satisfies Message);
    return;
  }
  await bucket.put(`${m.job.out}manifest.json`, JSON.stringify({ job: m.job, ...counts, pages: Array.from({ length: m.page }, (_, i) => name(i + 1)) }), json);
}

/** What failed for good is written down; the steps that keep a job going are sent again, up to ten times. */
export async function deadLetters(batch: MessageBatch<Message>, env: Env): Promise<void> {
  const { BUCKET, QUEUE } = env;
  if (!BUCKET || !QUEUE) throw new Error('no bindings');
  for (const m of batch.messages) {
    const b = m.body;
    try {
      if (b.do === 'convert') {
        const to = await itemKey(b.job, b.key);
        // Another delivery of the same message may have done it.
        if (!(await BUCKET.head(to))) {
          await putItem(BUCKET, to, {
            key: b.key, status: 'failed', source: '', file: null, fileName: null, mediaType: null, size: 0, sha256: null, report: null,
            problem: { code: 'internal', detail: 'every try failed; start the job again to try once more' },
          });
        }
      } else if ((b.again ?? 0) < 10) {
        await QUEUE.send({ ...b, again: (b.again ?? 0) + 1 }, { delaySeconds: Number(env.BULK_POLL ?? 10) });
      } else {
        await BUCKET.put(`${b.job.out}failed.json`, JSON.stringify({ step: b.do, job: b.job }), json);
      }
      m.ack();
    } catch {
      m.retry({ delaySeconds: Number(env.BULK_POLL ?? 10) });
    }
  }
}
