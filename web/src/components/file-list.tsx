// The files in this tab, one row each.
import { useState } from 'preact/hooks';
import { pick } from '../intake.ts';
import { go } from '../route.ts';
import { current, items, narrow, type FileItem } from '../state.ts';
import { words } from '../words.ts';
import { FileRow } from './file-row.tsx';
import { Icon } from './icons.tsx';
import { ListActs } from './list-acts.tsx';

const SEARCH_FROM = 6;

const matches = (i: FileItem, find: string) =>
  !find || `${i.file.name} ${i.inspection.value?.pieces[0]?.name ?? ''} ${i.inspection.value?.format?.appLabel ?? ''}`.toLowerCase().includes(find.toLowerCase());

export function FileList() {
  const [find, setFind] = useState('');
  const searchable = items.value.length >= SEARCH_FROM;
  const shown = items.value.filter((i) => matches(i, searchable ? find : ''));

  const step = (e: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    const row = e.target instanceof HTMLElement ? e.target.closest<HTMLElement>('[data-row]') : null;
    if (!by && e.key !== 'Home' && e.key !== 'End') return;
    if (!row && !(e.target instanceof HTMLInputElement && by === 1)) return;
    const at = shown.findIndex((i) => i.id === row?.dataset['row']);
    const next = e.key === 'Home' ? shown[0] : e.key === 'End' ? shown[shown.length - 1] : shown[at + (by ?? 0)];
    if (!next) return;
    e.preventDefault();
    document.querySelector<HTMLElement>(`[data-row="${next.id}"]`)?.focus();
    if (!narrow.value) go({ file: next.id });
  };

  return (
    <nav class="files" aria-label={words.files} data-pane onKeyDown={step}>
      <div class="files-head">
        <h2>{words.files}</h2>
        <button type="button" class="soft" onClick={pick}>
          <Icon name="plus" />
          {words.add}
        </button>
      </div>
      <ListActs />
      {searchable && (
        <label class="search">
          <Icon name="search" />
          <input type="search" data-search placeholder={words.findFile} aria-label={words.findFile} value={find} onInput={(e) => setFind(e.currentTarget.value)} />
        </label>
      )}
      <ul class="rows">
        {shown.map((i) => (
          <FileRow key={i.id} item={i} current={current.value === i} />
        ))}
      </ul>
      {!shown.length && <p class="fine">{words.noFile}</p>}
    </nav>
  );
}
