import type { ErrorCode, Failure, LimitHit } from './types.js';

/** The one error that every call rejects with: what is wrong, where, and which limit. */
export class BunzaiError extends Error implements Failure {
  override readonly name = 'BunzaiError';
  readonly code: ErrorCode;
  readonly where: string;
  readonly limit: LimitHit | null;

  constructor(failure: { code: ErrorCode; message: string; where?: string; limit?: LimitHit | null }, options?: ErrorOptions) {
    super(failure.message, options);
    this.code = failure.code;
    this.where = failure.where ?? '';
    this.limit = failure.limit ?? null;
  }
}

/** Makes any thrown value a BunzaiError. */
export function asBunzaiError(e: unknown): BunzaiError {
  if (e instanceof BunzaiError) return e;
  const f = (typeof e === 'object' && e !== null ? e : {}) as Partial<Failure>;
  if (typeof f.code === 'string' && typeof f.where === 'string') {
    return new BunzaiError({ code: f.code, message: String(f.message), where: f.where, limit: f.limit ?? null });
  }
  return new BunzaiError({ code: 'internal', message: e instanceof Error ? e.message : String(e) }, { cause: e });
}
