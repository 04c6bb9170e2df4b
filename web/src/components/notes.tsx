// Odd but readable things. A few are shown; many are folded.
import { sentence, words } from '../words.ts';
import { Disclosure } from './disclosure.tsx';
import { Icon } from './icons.tsx';

const FEW = 2;

export function Notes({ notes }: { notes: readonly string[] }) {
  if (!notes.length) return null;
  const list = (
    <ul class="notes">
      {notes.map((w, i) => (
        <li key={i}>
          <Icon name="stop" />
          <span>{sentence(w)}</span>
        </li>
      ))}
    </ul>
  );
  return notes.length <= FEW ? list : (
    <Disclosure class="notes-fold" summary={words.notes(notes.length)}>
      {list}
    </Disclosure>
  );
}
