import { NoRoom, Room, TooLarge, joined, readBody, release, type Body, type Share } from './body.js';
import { deadLetters, isDead, jobs, ownsJobs, work, type Message } from './bulk.js';
import { Engine, type Answer, type RequestArgs } from './engine.js';
import type { Env } from './env.js';

export type { Env } from './env.js';

/** Bytes of bodies and answers that one isolate holds at once; a request alone may hold more. */
const ROOM = 40 << 20;

/** Answers up to this size are joined and sent as they are; larger ones flow. */
const JOINED = 2 << 20;

let engine: Engine | null = null;
let room: Room | null = null;

/** Nothing runs before the first request: the platform bounds the time that loading takes. */
function engineOf(env: Env): Engine {
  return (engine ??= new Engine(env));
}

function shareOf(env: Env): Share {
  return (room ??= new Room(ROOM, Number(env.STALE ?? 120) * 1000)).share();
}

const worker = {
  async fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
    const e = engineOf(env);
    const url = new URL(request.url);
    const declared = request.headers.get('content-length');
    const length = declared !== null ? Number(declared) : request.body ? -1 : 0;
    const args: RequestArgs = [request.method, url.pathname, url.search.slice(1), request.headers, length, '', false];
    if (env.RATE_LIMIT && request.method === 'POST') {
      args[6] = !(await env.RATE_LIMIT.limit({ key: request.headers.get('cf-connecting-ip') ?? 'unknown' })).success;
    }
    if (ownsJobs(url.pathname, env)) return jobs(request, url, env, args[6]);
    const share = shareOf(env);
    let flows = false;
    try {
      let answer = e.admit(args);
      if (!answer) answer = await answerBody(e, request, args, share);
      flows = sizeOf(answer) > JOINED;
      return respond(answer, ctx, share);
    } finally {
      if (!flows) share.free();
      if (e.cold) {
        // The next request finds an instance that is already there.
        ctx.waitUntil(scheduler.wait(0).then(() => { if (e.cold) e.warm(); }));
      }
    }
  },

  async queue(batch: MessageBatch<unknown>, env: Env, ctx: ExecutionContext): Promise<void> {
    if (isDead(batch.queue)) await deadLetters(batch as MessageBatch<Message>, env);
    else await work(batch as MessageBatch<Message>, env, engineOf(env), ctx);
  },
} satisfies ExportedHandler<Env>;

export default worker;

async function answerBody(e: Engine, request: Request, args: RequestArgs, share: Share): Promise<Answer> {
  let body: Body;
  try {
    body = await readBody(request.body, args[4], e.maxBody, share.add);
  } catch (x) {
    if (x instanceof NoRoom) return e.busy(args);
    return e.finish(args, null, x instanceof TooLarge ? 'large' : 'broken');
  }
  const answer = e.finish(args, body);
  if (sizeOf(answer) <= JOINED) {
    answer.pieces = [joined(answer.pieces)];
    release(body);
  }
  return answer;
}

function sizeOf(answer: Answer): number {
  return answer.pieces.reduce((n, p) => n + p.length, 0);
}

function respond(answer: Answer, ctx: ExecutionContext, share: Share): Response {
  const size = sizeOf(answer);
  const init: ResponseInit = { status: answer.status, headers: answer.headers };
  if (!answer.body) return new Response(null, init);
  if (size <= JOINED) return new Response(answer.pieces.length === 1 ? answer.pieces[0] : joined(answer.pieces), init);
  const { readable, writable } = new FixedLengthStream(size);
  ctx.waitUntil(flow(answer.pieces, writable).finally(() => share.free()));
  return new Response(readable, init);
}

/** Writes as fast as the client reads. A client that goes away ends it. */
async function flow(pieces: Uint8Array[], writable: WritableStream<Uint8Array>): Promise<void> {
  const writer = writable.getWriter();
  try {
    for (const p of pieces) await writer.write(p);
    await writer.close();
  } catch {
    await writer.abort().catch(() => undefined);
  }
}
