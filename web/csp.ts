// The page's content security policy: one place, used by the build (meta tag) and checked against HEADERS.md by a test.

const rules: Record<string, string> = {
  'default-src': "'none'",
  'script-src': "'self' 'wasm-unsafe-eval'",
  'style-src': "'self'",
  'img-src': "'self' blob:",
  'worker-src': "'self'",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
};

/** For the meta tag; frame-ancestors only works as a header. */
export const metaCSP = Object.entries(rules).map(([k, v]) => `${k} ${v}`).join('; ');

/** For servers. */
export const headerCSP = `${metaCSP}; frame-ancestors 'none'`;
