// One big button with the file's name and size. It stays in sight while the report is read.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Conversion, Failure } from '../../../js/src/types.ts';
import { canShare, holdURL, produce, save, share, type Ready } from '../deliver.ts';
import { asFailure } from '../failure.ts';
import { draggingOut } from '../intake.ts';
import { announce } from '../live.ts';
import { SLOW_AFTER, type Choice, type FileItem } from '../state.ts';
import { bytes, plain, words } from '../words.ts';
import { Icon } from './icons.tsx';
import { Problem } from './problem.tsx';

interface Props {
  item: FileItem;
  choice: Choice;
  conversion: Conversion;
  forced: boolean;
}

export function SaveBar({ item, choice, conversion, forced }: Props) {
  const [busy, setBusy] = useState(false);
  const [saved, setSaved] = useState(false);
  const [failed, setFailed] = useState<Failure | null>(null);
  const ready = useRef<Promise<Ready> | null>(null);
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);

  const make = (): Promise<Ready> => {
    if (ready.current) return ready.current;
    const stop = new AbortController();
    abort.current = stop;
    setFailed(null);
    const timer = setTimeout(() => setBusy(true), SLOW_AFTER);
    const made = produce(item, choice, forced, stop.signal).finally(() => {
      clearTimeout(timer);
      setBusy(false);
    });
    ready.current = made;
    made.catch((e: unknown) => {
      ready.current = null;
      const f = asFailure(e);
      if (f.code === 'cancelled') announce(words.cancelled);
      else setFailed(f);
    });
    return made;
  };

  const deliver = async (how: (r: Ready) => void | Promise<boolean>) => {
    const r = await make().catch(() => null);
    if (!r || (await how(r)) === false) return;
    setSaved(true);
    announce(words.saved(plain(r.fileName), bytes(r.blob.size)));
  };

  const losing = conversion.report.counts.lost;
  const label = forced ? (losing ? words.saveAnywayLosing(losing) : words.saveAnyway) : losing ? words.saveLosing(losing) : words.save;
  return (
    <>
      <section class="save-dock" aria-label={words.save}>
        <div class="save-bar">
        <FileTile conversion={conversion} prepare={make} />
        <div class="save-acts">
          {busy && (
            <button type="button" class="soft" onClick={() => abort.current?.abort()}>
              {words.cancel}
            </button>
          )}
          {canShare() && (
            <button type="button" class="soft" onClick={() => void deliver(share)}>
              <Icon name="share" />
              {words.share}
            </button>
          )}
          <button type="button" class="primary save" data-save data-losing={losing > 0 || forced} onClick={() => void deliver(save)}>
            <Icon name={saved && !busy ? 'check' : 'save'} />
            <span class="save-text">{busy ? words.writing : label}</span>
          </button>
        </div>
        {busy && <span class="progress" />}
        </div>
      </section>
      {failed && <Problem failure={failed} large={item.limits.value === 'large'} />}
    </>
  );
}

/** Name and size of what will be saved; it can be dragged to a folder where the browser allows. */
function FileTile({ conversion, prepare }: { conversion: Conversion; prepare: () => Promise<Ready> }) {
  const url = useRef<{ href: string; name: string; type: string } | null>(null);
  const warm = () => {
    if (url.current || conversion.size > 512e6) return;
    void prepare().then(
      (r) => {
        url.current = { href: holdURL(r.blob), name: r.fileName, type: r.mediaType };
        setTimeout(() => {
          url.current = null;
        }, 55_000);
      },
      () => {},
    );
  };
  return (
    <div
      class="tile"
      draggable
      title={words.dragOut(plain(conversion.fileName))}
      onPointerEnter={warm}
      onPointerDown={warm}
      onDragStart={(e) => {
        const u = url.current;
        if (!u || !e.dataTransfer) {
          e.preventDefault();
          return;
        }
        draggingOut.value = true;
        e.dataTransfer.effectAllowed = 'copy';
        e.dataTransfer.setData('DownloadURL', `${u.type || 'application/octet-stream'}:${u.name.replace(/[:/\\]/g, '_')}:${u.href}`);
      }}
      onDragEnd={() => {
        draggingOut.value = false;
      }}
    >
      <Icon name="file" />
      <span class="tile-text">
        <span class="tile-name"><bdi>{plain(conversion.fileName)}</bdi></span>
        <span class="tile-size">{bytes(conversion.size)}</span>
      </span>
    </div>
  );
}
