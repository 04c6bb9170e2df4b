// How files come in: dropped anywhere (folders too), pasted, picked, or the sample.
import { signal } from '@preact/signals';
import { addFiles } from './state.ts';
import { announce } from './live.ts';
import { words } from './words.ts';

/** A file hangs over the window. */
export const hovering = signal(false);
/** Something of ours is being dragged out; it must not fall back in. */
export const draggingOut = signal(false);

const MOST = 2000;

const carriesFiles = (e: DragEvent) => !draggingOut.value && (e.dataTransfer?.types.includes('Files') ?? false);

export function listen(): void {
  let depth = 0;
  addEventListener('dragenter', (e) => {
    if (!carriesFiles(e)) return;
    e.preventDefault();
    depth++;
    hovering.value = true;
  });
  addEventListener('dragover', (e) => {
    if (!carriesFiles(e)) return;
    e.preventDefault();
    if (e.dataTransfer) e.dataTransfer.dropEffect = 'copy';
  });
  addEventListener('dragleave', (e) => {
    if (!carriesFiles(e)) return;
    depth = Math.max(0, depth - 1);
    if (!depth || e.relatedTarget === null) {
      depth = 0;
      hovering.value = false;
    }
  });
  addEventListener('drop', (e) => {
    depth = 0;
    hovering.value = false;
    if (!carriesFiles(e) || !e.dataTransfer) return;
    e.preventDefault();
    void filesOf(e.dataTransfer).then(addFiles);
  });
  addEventListener('paste', (e) => {
    const to = e.target;
    if (to instanceof HTMLInputElement || to instanceof HTMLTextAreaElement) return;
    const files = [...(e.clipboardData?.files ?? [])];
    if (files.length) {
      e.preventDefault();
      addFiles(files);
      return;
    }
    const text = e.clipboardData?.getData('text/plain').trim() ?? '';
    if (text.startsWith('{') || text.startsWith('[')) {
      e.preventDefault();
      addFiles([new File([text], words.pastedName, { type: 'application/json' })]);
    }
  });
}

/** All files of a drop; a folder gives what lies in it. Entries must be asked for before the event ends. */
async function filesOf(data: DataTransfer): Promise<File[]> {
  const plain = [...data.files];
  const entries = [...data.items].map((i) => (i.kind === 'file' ? (i.webkitGetAsEntry?.() ?? null) : null));
  if (!entries.some((e) => e?.isDirectory)) return plain;
  const out: File[] = [];
  let skipped = 0;
  const walk = async (entry: FileSystemEntry): Promise<void> => {
    if (entry.name.startsWith('.')) return;
    if (entry.isFile) {
      if (out.length >= MOST) skipped++;
      else out.push(await new Promise<File>((ok, no) => (entry as FileSystemFileEntry).file(ok, no)));
      return;
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    for (;;) {
      const some = await new Promise<FileSystemEntry[]>((ok, no) => reader.readEntries(ok, no));
      if (!some.length) return;
      for (const e of some) await walk(e);
    }
  };
  for (const e of entries) if (e) await walk(e);
  if (skipped) announce(words.skipped(skipped));
  return out;
}

let picker: HTMLInputElement | null = null;

export function registerPicker(el: HTMLInputElement | null): void {
  picker = el;
}

export function pick(): void {
  picker?.click();
}

let sample: Promise<File> | null = null;

/** Fetched once at load (it is also the picture on the first screen), so that it opens without a network. */
export function loadSample(): Promise<File> {
  sample ??= fetch(new URL('sample.png', document.baseURI)).then(async (r) => {
    if (!r.ok) throw new Error(`${words.sampleFailed}: ${r.url} answered ${r.status}`);
    return new File([await r.blob()], 'juniper.png', { type: 'image/png' });
  });
  sample.catch(() => {
    sample = null;
  });
  return sample;
}

export async function openSample(): Promise<void> {
  try {
    addFiles([await loadSample()]);
  } catch (e) {
    announce(e instanceof Error ? e.message : words.sampleFailed);
  }
}
