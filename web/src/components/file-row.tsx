// One file: there at once with name and size, then with portrait, character, app and kind.
import { go } from '../route.ts';
import { cancel, narrow, remove, titleOf, twins, type FileItem } from '../state.ts';
import { bytes, kindName, plain, problemTitle, words } from '../words.ts';
import { Icon } from './icons.tsx';
import { Picture } from './picture.tsx';

export function FileRow({ item, current }: { item: FileItem; current: boolean }) {
  const status = item.status.value;
  const name = titleOf(item);
  const twin = twins.value.get(item);
  return (
    <li class="row" data-status={status} data-current={current}>
      <button type="button" class="row-open" data-row={item.id} aria-current={current ? 'true' : undefined} onClick={() => go({ file: item.id }, narrow.value)}>
        <Thumb item={item} />
        <span class="row-text">
          <span class="row-name" title={name}><bdi>{name}</bdi></span>
          {twin && <span class="row-note row-twin" title={twin}><bdi>{twin}</bdi></span>}
          <span class="row-note">{note(item)}</span>
        </span>
        {item.slow.value && <span class="progress" />}
      </button>
      {status === 'reading' ? (
        <button type="button" class="bare" aria-label={words.cancelFile(plain(item.file.name))} title={words.cancel} onClick={() => cancel(item)}>
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
      return problemTitle(item.failure.value?.code ?? 'internal', item.limits.value === 'large');
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
