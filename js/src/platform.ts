import { badArgument } from './errors.js';
import type { ModuleSource } from './module.js';
import type { Opened } from './input.js';
import type { LimitsProfile } from './types.js';

/** What differs between Node, browsers and Workers. Each entry of the package sets its own. */
export interface Platform {
  /** Where the engine comes from when nobody says. */
  wasm: () => ModuleSource | Promise<ModuleSource>;
  /** Opens an input that only this platform knows: a path, a FileHandle. null: not one of them. */
  open: (input: unknown) => Promise<Opened> | null;
  /** Limits when none are asked for. */
  limits: LimitsProfile | undefined;
  /**
   * No call waits for another one, and nothing is read while the engine works. In Cloudflare Workers a call may stop
   * for good between two steps, when its request ends, and must not hold up the others.
   */
  independent: boolean;
}

export const platform: Platform = {
  wasm: () => {
    throw badArgument('this entry of bunzai has no engine of its own; give one with init({ wasm })');
  },
  open: () => null,
  limits: undefined,
  independent: false,
};
