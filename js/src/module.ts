import { BunzaiError } from './errors.js';

/**
 * Where the engine's WebAssembly module comes from: an address, a fetched response, its bytes, or a compiled
 * `WebAssembly.Module`.
 * The default is `engine.wasm` beside this package's own files.
 */
export type ModuleSource = string | URL | Response | ArrayBuffer | ArrayBufferView | CompiledModule;

/** A `WebAssembly.Module`, which not every set of type declarations knows. It can be sent to other threads. */
export interface CompiledModule {
  readonly [Symbol.toStringTag]?: string;
}

/** Compiles the module. Errors name the address and say what was found there. */
export async function compile(source: ModuleSource): Promise<CompiledModule> {
  if (source instanceof WebAssembly.Module) return source as CompiledModule;
  if (typeof source === 'string' || source instanceof URL) {
    const address = String(source);
    let response: Response;
    try {
      response = await fetch(address);
    } catch (e) {
      throw failed(address, `could not be fetched: ${text(e)}`, e);
    }
    return fromResponse(response, address);
  }
  if (typeof Response !== 'undefined' && source instanceof Response) return fromResponse(source, source.url || 'the given response');
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return fromBytes(source as BufferSource, 'the given bytes');
  throw new BunzaiError({ code: 'bad-argument', message: 'the engine must be given as an address, a Response, bytes, or a WebAssembly.Module' });
}

async function fromResponse(response: Response, address: string): Promise<WebAssembly.Module> {
  if (!response.ok) throw failed(address, `could not be fetched: the server answered ${response.status} ${response.statusText}`.trimEnd());
  const type = (response.headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase();
  // Streaming needs the right media type; servers that send another one still serve the bytes.
  if (type === 'application/wasm' && WebAssembly.compileStreaming) {
    try {
      return await WebAssembly.compileStreaming(response);
    } catch (e) {
      throw failed(address, `is not a WebAssembly module that this browser can run: ${text(e)}`, e);
    }
  }
  let bytes: ArrayBuffer;
  try {
    bytes = await response.arrayBuffer();
  } catch (e) {
    throw failed(address, `could not be read to its end: ${text(e)}`, e);
  }
  return fromBytes(bytes, address, type);
}

async function fromBytes(source: BufferSource, where: string, type = ''): Promise<WebAssembly.Module> {
  const head = ArrayBuffer.isView(source) ? new Uint8Array(source.buffer, source.byteOffset, Math.min(4, source.byteLength)) : new Uint8Array(source, 0, Math.min(4, source.byteLength));
  if (head[0] !== 0 || head[1] !== 0x61 || head[2] !== 0x73 || head[3] !== 0x6d) {
    throw failed(where, `is not a WebAssembly module${type ? ` but ${type}` : ''} (${source.byteLength} bytes)`);
  }
  try {
    return await WebAssembly.compile(source);
  } catch (e) {
    throw failed(where, `is not a WebAssembly module that can run here: ${text(e)}`, e);
  }
}

function failed(where: string, what: string, cause?: unknown): BunzaiError {
  return new BunzaiError({ code: 'internal', message: `the engine ${where} ${what}`, where }, cause === undefined ? undefined : { cause });
}

function text(e: unknown): string {
  return e instanceof Error ? e.message : String(e);
}
