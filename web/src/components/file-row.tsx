// One file: there at once with name and size, then with portrait, character, app and kind.
import { go } from '../route.ts';
import { cancel, narrow, remove, type FileItem } from '../state.ts';
import { bytes, kindName, problemTitle, words } from '../words.ts';
import { Icon } from './icons.tsx';
import { Picture } from './picture.tsx';

export function FileRow({ item, current }: { item: FileItem; current: boolean }) {
  const found = item.inspection.value;
  const status = item.status.value;
  const ready = status === 'ready' && found;
  const name = (ready && found.pieces[0]?.name) || item.file.name;
  return (
    <li class="row" data-status={status} data-current={current}>
      <button type="button" class="row-open" data-row={item.id} aria-current={current ? 'true' : undefined} onClick={() => go({ file: item.id }, narrow.value)}>
        <Thumb item={item} />
        <span class="row-text">
          <span class="row-name">{name}</span>
          <span class="row-note">{note(item)}</span>
        </span>
        {item.slow.value && <span class="progress" />}
      </button>
      {status === 'reading' ? (
        <button type="button" class="bare" aria-label={words.cancelFile(item.file.name)} title={words.cancel} onClick={() => cancel(item)}>
          <Icon name="close" />
        </button>
      ) : (
        <button type="button" class="bare" aria-label={words.remove(name)} title={words.remove(name)} onClick={() => remove(item)}>
          <Icon name="close" />
        </button>
      )}
    </li>
  );
}

function note(item: FileItem): string {
  const size = bytes(item.file.size);
  const found = item.inspection.value;
  switch (item.status.value) {
    case 'reading':
      return item.slow.value ? `${words.reading} · ${size}` : size;
    case 'failed':
      return problemTitle[item.failure.value?.code ?? 'internal'];
    case 'ready':
      return found?.format ? `${found.format.appLabel} ${kindName(found.format.kind)}` : size;
  }
}

function Thumb({ item }: { item: FileItem }) {
  const found = item.status.value === 'ready' ? item.inspection.value : null;
  const portrait = found?.portrait;
  if (portrait?.data) {
    return (
      <span class="thumb">
        <Picture blob={portrait.data} mime={portrait.mime} alt="" />
      </span>
    );
  }
  const icon = item.status.value === 'failed' ? 'warn' : found?.format?.kind === 'lorebook' ? 'book' : 'file';
  return (
    <span class="thumb">
      <Icon name={icon} />
    </span>
  );
}
