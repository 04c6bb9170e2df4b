// A text as it is, cut after a dozen lines until asked for.
import { useState } from 'preact/hooks';
import { words } from '../words.ts';

const LONG = 700;

export function LongText({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  const long = text.length > LONG || text.split('\n', 14).length > 13;
  return (
    <>
      <div class="prose" data-cut={long && !open}>
        {text}
      </div>
      {long && (
        <button type="button" class="link" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? words.lessText : words.wholeText}
        </button>
      )}
    </>
  );
}
