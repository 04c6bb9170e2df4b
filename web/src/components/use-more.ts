// Long lists show a first part and grow on request, so that a thousand entries cost nothing until asked for.
import { useState } from 'preact/hooks';

export function useMore<T>(all: readonly T[], step: number): { shown: readonly T[]; left: number; more: () => void } {
  const [n, setN] = useState(step);
  return { shown: all.slice(0, n), left: Math.max(0, all.length - n), more: () => setN(n + step) };
}
