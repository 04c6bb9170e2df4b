// Choices that live in the address: target app, container, version, tab, and on narrow screens the open file.
// Back and reload behave; files themselves stay in memory only.
import { signal } from '@preact/signals';

export interface Route {
  to: string;
  as: string;
  spec: string;
  tab: string;
  file: string;
}

const names = ['to', 'as', 'spec', 'tab', 'file'] as const;

function parse(): Route {
  const q = new URLSearchParams(location.hash.slice(1));
  return Object.fromEntries(names.map((n) => [n, q.get(n) ?? ''])) as unknown as Route;
}

export const route = signal<Route>(parse());

addEventListener('popstate', () => {
  route.value = parse();
});
addEventListener('hashchange', () => {
  route.value = parse();
});

/** Changes some choices. `push` makes a step that Back undoes. */
export function go(change: Partial<Route>, push = false): void {
  const next = { ...route.value, ...change };
  const q = new URLSearchParams();
  for (const n of names) if (next[n]) q.set(n, next[n]);
  const hash = q.toString();
  const url = `${location.pathname}${location.search}${hash ? `#${hash}` : ''}`;
  if (push) history.pushState({ step: true }, '', url);
  else history.replaceState(history.state, '', url);
  route.value = next;
}

/** One step back to the list: the browser's own step where we made one. */
export function leaveFile(): void {
  const state: unknown = history.state;
  if (typeof state === 'object' && state !== null && 'step' in state) history.back();
  else go({ file: '' });
}
