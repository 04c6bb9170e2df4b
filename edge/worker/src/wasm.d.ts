declare module '*.wasm' {
  const module: WebAssembly.Module;
  export default module;
}
declare module '*/go.js' {
  /** The toolchain that the loader belongs to. */
  export const goVersion: string;
  export interface GoProgram {
    importObject: WebAssembly.Imports;
    exit: (code: number) => void;
    /** Ends the promise of `run`. */
    _resolveExitPromise: () => void;
    run(instance: WebAssembly.Instance): Promise<void>;
  }
  export function loadGo(globalThis: Record<string, unknown>): new () => GoProgram;
}
