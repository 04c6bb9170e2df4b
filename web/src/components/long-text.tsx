// A text as it is, cut after a dozen lines until asked for. Only what is shown is in the document: texts may be huge.
import { useState } from 'preact/hooks';
import { words } from '../words.ts';

interface Props {
  text: string;
  /** Longer than this many characters is cut. */
  long?: number;
  lines?: number;
}

export function LongText({ text, long = 700, lines = 13 }: Props) {
  const [open, setOpen] = useState(false);
  const cut = text.length > long || text.split('\n', lines + 1).length > lines;
  return (
    <>
      <div class="prose" data-cut={cut && !open}>
        {cut && !open ? text.slice(0, long + 800) : text}
      </div>
      {cut && (
        <button type="button" class="link" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? words.lessText : words.wholeText}
        </button>
      )}
    </>
  );
}
