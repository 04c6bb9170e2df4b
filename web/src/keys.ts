// Keys that work everywhere: "/" finds, Esc goes back. Arrows belong to the lists that have them.
import { leaveFile, route } from './route.ts';
import { current, narrow } from './state.ts';

const typing = (t: EventTarget | null) =>
  t instanceof HTMLTextAreaElement || (t instanceof HTMLInputElement && ['text', 'search'].includes(t.type));

const visible = (el: HTMLElement) => el.offsetParent !== null;

export function listenKeys(): void {
  addEventListener('keydown', (e) => {
    if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === '/' && !typing(e.target)) {
      const fields = [...document.querySelectorAll<HTMLElement>('[data-search]')].filter(visible);
      // The nearest one: inside the card when the focus is there.
      const here = e.target instanceof Element ? e.target.closest('[data-pane]') : null;
      const field = fields.find((f) => here?.contains(f)) ?? fields[0];
      if (field) {
        e.preventDefault();
        field.focus();
      }
      return;
    }
    if (e.key !== 'Escape') return;
    if (e.target instanceof HTMLInputElement && e.target.type === 'search' && e.target.value) return;
    if (narrow.value && route.value.file) {
      const id = route.value.file;
      leaveFile();
      setTimeout(() => focusRow(id), 60);
    } else if (current.value) {
      focusRow(current.value.id);
    }
  });
}

export function focusRow(id: string): void {
  document.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`)?.focus();
}
