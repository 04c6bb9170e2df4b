// The one polite live region: what happened, for people who hear the page.
import { signal } from '@preact/signals';

export const spoken = signal('');

export function announce(text: string): void {
  // A repeated sentence must change the region to be spoken again.
  spoken.value = spoken.value === text ? `${text}\u00a0` : text;
}
