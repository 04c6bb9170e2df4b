// Portrait, name, and one line that says what the file is.
import { useRef } from 'preact/hooks';
import type { AssetView, Inspection } from '../../../js/src/types.ts';
import type { FileItem } from '../state.ts';
import { bytes, containerName, counted, formatName, plain, variantName, words } from '../words.ts';
import { Icon } from './icons.tsx';
import { Name } from './name.tsx';
import { Notes } from './notes.tsx';
import { Picture } from './picture.tsx';
import { Wash } from './wash.tsx';
import { Why } from './why.tsx';

const MOST_TAGS = 8;

export function CardHead({ item, found }: { item: FileItem; found: Inspection }) {
  const main = found.pieces[0];
  const name = plain(main?.name || item.file.name);
  const tags = main?.tags ?? [];
  const warnings = item.limits.value === 'large' ? [words.openedLarge, ...found.warnings] : found.warnings;
  return (
    <header class="head" data-portrait={found.portrait?.data ? 'yes' : 'no'}>
      {found.portrait?.data && <Wash blob={found.portrait.data} />}
      {found.portrait?.data && <Portrait asset={found.portrait} data={found.portrait.data} name={name} />}
      <div class="head-text">
        <Name class="name" text={name} />
        {main?.creator && <p class="creator"><bdi>{words.by(plain(main.creator))}</bdi></p>}
        <p class="line">{line(item, found)}</p>
      </div>
      <div class="head-more">
        <Why found={found} />
        {tags.length > 0 && (
          <ul class="tags">
            {tags.slice(0, MOST_TAGS).map((t, i) => (
              <li key={i}><bdi>{plain(t)}</bdi></li>
            ))}
            {tags.length > MOST_TAGS && <li class="more">{words.moreTags(tags.length - MOST_TAGS)}</li>}
          </ul>
        )}
        {warnings.length > 0 && (
          <Notes notes={warnings} />
        )}
      </div>
    </header>
  );
}

/** "SillyTavern · character card V2 · PNG · 530 KB" */
function line(item: FileItem, found: Inspection): string {
  const main = found.pieces[0];
  const f = found.format;
  const parts = f ? [f.appLabel, [formatName(f.label, f.appLabel), variantName(main?.variant ?? '')].filter(Boolean).join(' ')] : [];
  const shape = main?.container ? containerName[main.container] : found.file.kind.toUpperCase();
  const entries = found.pieces.reduce((n, p) => n + p.entries.length, 0);
  const extra = f?.kind === 'lorebook' ? [counted(entries, 'entry', 'entries')] : [];
  return [...parts, ...extra, shape, bytes(item.file.size)].filter(Boolean).join(' · ');
}

function Portrait({ asset, data, name }: { asset: AssetView; data: Blob; name: string }) {
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <>
      <button type="button" class="portrait" aria-label={words.portraitFull(name)} onClick={() => dialog.current?.showModal()}>
        <Picture blob={data} mime={asset.mime} alt="" />
      </button>
      <dialog ref={dialog} class="full" aria-label={words.portrait(name)} onClick={() => dialog.current?.close()} onKeyDown={(e) => e.stopPropagation()}>
        <Picture blob={data} mime={asset.mime} alt={words.portrait(name)} />
        <button type="button" class="bare" aria-label={words.close}>
          <Icon name="close" />
        </button>
      </dialog>
    </>
  );
}
