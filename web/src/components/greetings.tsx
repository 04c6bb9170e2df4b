// Greetings, one at a time, counted; left and right arrows turn the page.
import { useState } from 'preact/hooks';
import type { PieceView } from '../../../js/src/types.ts';
import { announce } from '../live.ts';
import { words } from '../words.ts';
import { Icon } from './icons.tsx';
import { LongText } from './long-text.tsx';

export function Greetings({ greetings }: { greetings: PieceView['greetings'] }) {
  const [at, setAt] = useState(0);
  const g = greetings[at];
  if (!g) return null;
  const turn = (by: number) => {
    const next = at + by;
    if (!greetings[next]) return;
    setAt(next);
    announce(`${greetings[next].title}, ${words.greetingOf(next + 1, greetings.length)}`);
  };
  return (
    <div
      class="greetings"
      role="group"
      aria-label={words.greetings}
      tabIndex={0}
      onKeyDown={(e) => {
        const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
        if (!by) return;
        e.preventDefault();
        turn(by);
      }}
    >
      <div class="pager">
        <h4>
          {g.title}
          {g.group && <small>{words.group}</small>}
        </h4>
        <span class="pager-acts">
          <button type="button" class="bare" aria-label={words.previous} disabled={at === 0} onClick={() => turn(-1)}>
            <Icon name="back" />
          </button>
          <span class="pager-count">{words.greetingOf(at + 1, greetings.length)}</span>
          <button type="button" class="bare" aria-label={words.next} disabled={at === greetings.length - 1} onClick={() => turn(1)}>
            <Icon name="forward" />
          </button>
        </span>
      </div>
      <LongText key={at} text={g.text} long={8000} lines={400} />
    </div>
  );
}
