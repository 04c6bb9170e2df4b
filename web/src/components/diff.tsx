// The difference of two long texts, word by word, with a little of what stands around each change.
import { diffWordsWithSpace } from 'diff';
import { useMemo, useState } from 'preact/hooks';
import { words } from '../words.ts';

const AROUND = 40;

export function Diff({ before, after }: { before: string; after: string }) {
  const [open, setOpen] = useState(false);
  const parts = useMemo(() => diffWordsWithSpace(before, after), [before, after]);
  const cut = parts.some((p) => !p.added && !p.removed && p.value.length > 2 * AROUND);
  return (
    <>
      <span class="value diff">
        {parts.map((p, i) =>
          p.removed ? (
            <del key={i}>
              <span class="sr">{words.removed} </span>
              {p.value}
            </del>
          ) : p.added ? (
            <ins key={i}>
              <span class="sr">{words.added} </span>
              {p.value}
            </ins>
          ) : (
            <span key={i}>{open ? p.value : shorten(p.value, i === 0, i === parts.length - 1)}</span>
          ),
        )}
      </span>
      {cut && (
        <button type="button" class="link" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? words.lessText : words.wholeText}
        </button>
      )}
    </>
  );
}

function shorten(text: string, first: boolean, last: boolean): string {
  if (text.length <= 2 * AROUND) return text;
  const head = first ? '' : text.slice(0, AROUND).trimEnd();
  const tail = last ? '' : text.slice(-AROUND).trimStart();
  return `${head}…${tail}`;
}
