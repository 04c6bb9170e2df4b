// Getting a converted file out of the tab: save, share, drag.
import type { Conversion } from '../../js/src/types.ts';
import * as engine from './engine.ts';
import { optionsFor, type Choice, type FileItem } from './state.ts';

export interface Ready {
  blob: Blob;
  fileName: string;
  mediaType: string;
  /** How many things did not make it. */
  lost: number;
}

/** Converts for real. The Blob shares ranges of the input where the engine can. */
export async function produce(item: FileItem, choice: Choice, allowLoss: boolean, signal: AbortSignal): Promise<Ready> {
  const done: Conversion = await engine.convert(item.file, { ...optionsFor(item, choice), output: 'blob', allowLoss }, { signal, urgent: true });
  const data = done.data ?? new Uint8Array();
  const blob = data instanceof Blob ? data : new Blob([data as Uint8Array<ArrayBuffer>], { type: done.mediaType });
  return { blob, fileName: done.fileName, mediaType: done.mediaType, lost: done.report.counts.lost };
}

/** Browsers may read the data long after the click, so the address lives on for a while (KF-137). */
export function holdURL(blob: Blob): string {
  const url = URL.createObjectURL(blob);
  const release = () => {
    clearTimeout(timer);
    removeEventListener('pagehide', release);
    URL.revokeObjectURL(url);
  };
  const timer = setTimeout(release, 60_000);
  addEventListener('pagehide', release);
  return url;
}

export function save(ready: Ready): void {
  const a = document.createElement('a');
  a.href = holdURL(ready.blob);
  a.download = ready.fileName;
  a.hidden = true;
  document.body.append(a);
  a.click();
  a.remove();
}

const asFile = (r: Ready) => new File([r.blob], r.fileName, { type: r.mediaType });

/** Phones have a share sheet; desktops with a mouse do better with Save. */
export function canShare(): boolean {
  if (typeof navigator.canShare !== 'function' || !matchMedia('(pointer: coarse)').matches) return false;
  return navigator.canShare({ files: [new File(['{}'], 'card.json', { type: 'application/json' })] });
}

/** False when the browser wants another tap first. */
export async function share(ready: Ready): Promise<boolean> {
  try {
    await navigator.share({ files: [asFile(ready)], title: ready.fileName });
    return true;
  } catch (e) {
    return e instanceof DOMException && e.name === 'AbortError';
  }
}
