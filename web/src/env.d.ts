/// <reference types="vite/client" />
declare const __ENGINE_QUERY__: string;
declare module 'virtual:wasm_exec';

interface GoRuntime {
  importObject: WebAssembly.Imports;
  exited: boolean;
  run(instance: WebAssembly.Instance): Promise<void>;
}
declare var Go: new () => GoRuntime;
