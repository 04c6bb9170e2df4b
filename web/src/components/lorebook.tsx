// Lorebook entries as a table that can be searched.
import { useMemo, useState } from 'preact/hooks';
import type { EntryView, PieceView } from '../../../js/src/types.ts';
import { words } from '../words.ts';
import { Icon } from './icons.tsx';
import { LongText } from './long-text.tsx';
import { useMore } from './use-more.ts';

const haystack = (e: EntryView) => [e.title, ...e.keys, ...e.secondaryKeys, e.content].join('\n').toLowerCase();

export function Lorebook({ books }: { books: PieceView[] }) {
  const [find, setFind] = useState('');
  const all = useMemo(() => books.flatMap((b) => b.entries.map((entry) => ({ entry, hay: haystack(entry) }))), [books]);
  const hits = useMemo(() => all.filter((e) => e.hay.includes(find.trim().toLowerCase())), [all, find]);
  const { shown, left, more } = useMore(hits, 100);
  return (
    <div class="lorebook">
      <div class="lore-head">
        <label class="search">
          <Icon name="search" />
          <input type="search" data-search placeholder={words.findEntry} aria-label={words.findEntry} value={find} onInput={(e) => setFind(e.currentTarget.value)} />
        </label>
        <span class="fine" role="note">{words.entriesFound(hits.length, all.length)}</span>
      </div>
      {shown.length > 0 && (
        <table class="entries" role="table">
          <thead role="rowgroup">
            <tr role="row">
              <th scope="col" role="columnheader">{words.entry}</th>
              <th scope="col" role="columnheader">{words.content}</th>
            </tr>
          </thead>
          <tbody role="rowgroup">
            {shown.map(({ entry }, i) => (
              <Row key={i} entry={entry} />
            ))}
          </tbody>
        </table>
      )}
      {left > 0 && (
        <button type="button" class="soft" onClick={more}>
          {words.more(Math.min(left, 100))}
        </button>
      )}
    </div>
  );
}

function Row({ entry: e }: { entry: EntryView }) {
  return (
    <tr role="row" data-off={!e.enabled}>
      <th scope="row" role="rowheader">
        <span class="label">{e.title || e.keys[0] || words.entry}</span>
        <span class="keys">
          {e.keys.length ? e.keys.map((k, i) => <code key={i}>{k}</code>) : <span class="none">{words.noKeys}</span>}
        </span>
        {e.secondaryKeys.length > 0 && (
          <span class="keys">
            <span class="none">{words.secondKeys}</span>
            {e.secondaryKeys.map((k, i) => (
              <code key={i}>{k}</code>
            ))}
          </span>
        )}
        <span class="flags">
          {[!e.enabled && words.off, e.constant && words.constant, e.position.replaceAll('_', ' '), e.order !== null && `${words.order} ${e.order}`].filter(Boolean).join(' · ')}
        </span>
      </th>
      <td role="cell">
        <LongText text={e.content} />
      </td>
    </tr>
  );
}
