import type { ErrorCode, Failure, FailureOf, LimitHit } from './types.js';

/** What an error is made of; `where` and `limit` may be left out. */
export interface FailureInit {
  code: ErrorCode;
  message: string;
  where?: string;
  limit?: LimitHit | null;
}

class Failed extends Error {
  override readonly name = 'BunzaiError';
  readonly code: ErrorCode;
  readonly where: string;
  readonly limit: LimitHit | null;

  constructor(failure: FailureInit, options?: { cause?: unknown }) {
    super(failure.message, options);
    this.code = failure.code;
    this.where = failure.where ?? '';
    this.limit = failure.limit ?? null;
  }
}
Object.defineProperty(Failed, 'name', { value: 'BunzaiError' });

/**
 * The one error that every call rejects with: what is wrong, where, and which limit. Its type is a union told apart by
 * `code`: after `e.code === 'limit'`, `e.limit` is there.
 */
export type BunzaiError = { [C in ErrorCode]: Error & FailureOf<C> & { readonly name: 'BunzaiError' } }[ErrorCode];

export const BunzaiError = Failed as unknown as {
  new (failure: FailureInit, options?: { cause?: unknown }): BunzaiError;
  readonly prototype: BunzaiError;
};

/** Makes any thrown value a BunzaiError. */
export function asBunzaiError(e: unknown): BunzaiError {
  if (e instanceof BunzaiError) return e;
  const f = (typeof e === 'object' && e !== null ? e : {}) as Partial<Failure>;
  if (typeof f.code === 'string' && typeof f.where === 'string') {
    return new BunzaiError({ code: f.code, message: String(f.message), where: f.where, limit: f.limit ?? null });
  }
  return new BunzaiError({ code: 'internal', message: e instanceof Error ? e.message : String(e) }, { cause: e });
}

/** The error as plain data, for another thread. */
export function plainError(e: unknown): FailureInit {
  const { code, message, where, limit } = asBunzaiError(e);
  return { code, message, where, limit };
}

/** An argument that is wrong, in words. */
export function badArgument(message: string, cause?: unknown): BunzaiError {
  return new BunzaiError({ code: 'bad-argument', message }, cause === undefined ? undefined : { cause });
}
