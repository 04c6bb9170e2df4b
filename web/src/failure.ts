// Failures as plain values: what engine calls reject with, and what crosses the worker boundary.
import type { Failure } from '../../js/src/types.ts';

export type Result<T> = { ok: true; value: T; memory: number } | { ok: false; failure: Failure; memory: number; dead: boolean };

export function failure(code: Failure['code'], message: string, where = ''): Failure {
  return { code, message, where, limit: null };
}

/** Anything thrown, as a Failure. The engine's own keep their fields. */
export function asFailure(e: unknown): Failure {
  if (typeof e === 'object' && e !== null && 'code' in e && 'message' in e && typeof e.code === 'string') {
    const f = e as Partial<Failure> & { code: Failure['code']; message: string };
    return { code: f.code, message: String(f.message), where: f.where ?? '', limit: f.limit ?? null };
  }
  return failure('internal', e instanceof Error ? e.message : String(e));
}
