/** What the operator sets: variables, secrets and bindings of wrangler.jsonc. All are optional. */
export interface Env {
  /** Web origins whose pages may call, separated by blanks; `*` lets any. */
  ORIGINS?: string;
  /** Bearer tokens that POST routes want, separated by blanks. A secret. */
  TOKENS?: string;
  /** `on` logs one line of JSON a request. */
  LOG?: string;
  /** Called with the caller's address before a body is read. */
  RATE_LIMIT?: RateLimit;
  /** Bulk work: where the objects are and the results go. */
  BUCKET?: R2Bucket;
  /** Bulk work: one message an object. */
  QUEUE?: Queue<unknown>;
  /** Seconds between two looks whether a bulk job is through. Default 10. */
  BULK_POLL?: string;
  /** Seconds after which a request that never ended no longer counts. Default 120. */
  STALE?: string;
}
