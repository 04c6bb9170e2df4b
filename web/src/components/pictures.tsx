// Pictures and other files inside, in a grid; a picture is made only while it is near the window.
import type { AssetView } from '../../../js/src/types.ts';
import { bytes, words } from '../words.ts';
import { Icon } from './icons.tsx';
import { Picture } from './picture.tsx';
import { useMore } from './use-more.ts';

export function Pictures({ assets }: { assets: AssetView[] }) {
  const { shown, left, more } = useMore(assets, 240);
  return (
    <>
      <ul class="grid">
        {shown.map((a, i) => (
          <li key={i}>
            <figure>
              <Frame asset={a} />
              <figcaption>
                <span class="grid-name">{a.name || a.role}</span>
                <span class="fine">{[a.role, a.link ? '' : bytes(a.size)].filter(Boolean).join(' · ')}</span>
                {a.link && (
                  <span class="fine">
                    {words.outside} <code>{a.link}</code>
                  </span>
                )}
              </figcaption>
            </figure>
          </li>
        ))}
      </ul>
      {left > 0 && (
        <button type="button" class="soft" onClick={more}>
          {words.more(Math.min(left, 240))}
        </button>
      )}
    </>
  );
}

function Frame({ asset: a }: { asset: AssetView }) {
  if (a.data && a.mime.startsWith('image/')) {
    return (
      <span class="frame">
        <Picture blob={a.data} mime={a.mime} alt={a.name || a.role} />
      </span>
    );
  }
  return (
    <span class="frame">
      <Icon name={a.link ? 'link' : 'file'} label={a.link ? words.outside : words.noPreview} />
    </span>
  );
}
