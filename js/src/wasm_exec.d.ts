/** The toolchain that the loader belongs to, e.g. `go1.26.8`. */
export const goVersion: string;

/** One run of a Go program; the members that bunzai uses. */
export interface GoProgram {
  importObject: object;
  env: Record<string, string>;
  exit: (code: number) => void;
  argv: string[];
  run(instance: object): Promise<void>;
  /** Continues the program after an event from JavaScript. */
  _resume(): void;
  _scheduledTimeouts: Map<number, unknown>;
  /** JavaScript values that the program holds, for the leak test. */
  _ids?: Map<unknown, number>;
}

/** Returns the Go class of the toolchain's own loader script, with `globalThis` as the global object that it sees. */
export function loadGo(globalThis: Record<string, unknown>): new () => GoProgram;
