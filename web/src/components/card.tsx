// One file, opened: what it is, what another app can hold of it, and the way to save it.
import { useEffect, useRef } from 'preact/hooks';
import { leaveFile } from '../route.ts';
import { cancel, choiceFor, items, narrow, outcomeFor, read, targetsOf, type FileItem } from '../state.ts';
import { bytes, plain, raisedByLarge, words } from '../words.ts';
import { CardHead } from './card-head.tsx';
import { Disclosure } from './disclosure.tsx';
import { Icon } from './icons.tsx';
import { Inside } from './inside.tsx';
import { Name } from './name.tsx';
import { Outcome } from './outcome.tsx';
import { Problem } from './problem.tsx';
import { Targets } from './targets.tsx';
import { Unlock } from './unlock.tsx';
import { Bids } from './why.tsx';
import { focusRow } from '../keys.ts';

export function Card({ item }: { item: FileItem }) {
  const el = useRef<HTMLElement>(null);
  // On a narrow screen the card is a view of its own: the focus goes with it.
  useEffect(() => {
    if (!narrow.peek()) return;
    scrollTo(0, 0);
    el.current?.focus({ preventScroll: true });
  }, []);
  return (
    <article class="card" data-pane ref={el} tabIndex={-1} aria-label={plain(item.inspection.value?.pieces[0]?.name || item.file.name)}>
      {narrow.value && (
        <button
          type="button"
          class="soft back"
          onClick={() => {
            leaveFile();
            setTimeout(() => focusRow(item.id), 60);
          }}
        >
          <Icon name="back" />
          {words.back} ({items.value.length})
        </button>
      )}
      <Body item={item} />
    </article>
  );
}

function Body({ item }: { item: FileItem }) {
  const status = item.status.value;
  const found = item.inspection.value;
  if (status === 'failed') return <Failed item={item} />;
  if (status === 'reading' || !found) {
    return (
      <div class="waiting" data-slow={item.slow.value}>
        <Name class="file-name" text={item.file.name} />
        <p class="line">{bytes(item.file.size)}</p>
        {item.slow.value && (
          <div class="waiting-more">
            <span class="progress" />
            <p>{words.reading}</p>
            <button type="button" class="soft" onClick={() => cancel(item)}>
              {words.cancel}
            </button>
          </div>
        )}
      </div>
    );
  }
  const choice = choiceFor(item);
  return (
    <>
      <CardHead item={item} found={found} />
      {choice && (
        <>
          <Targets item={item} targets={targetsOf(item)} choice={choice} />
          <Outcome item={item} choice={choice} outcome={outcomeFor(item, choice)} />
        </>
      )}
      <Inside found={found} />
    </>
  );
}

function Failed({ item }: { item: FileItem }) {
  const f = item.failure.value;
  if (!f) return null;
  const unknown = item.bids.value;
  const raise = raisedByLarge(f) && item.limits.value === 'card';
  return (
    <div class="failed">
      <Name class="file-name" text={item.file.name} />
      <p class="line">{bytes(item.file.size)}</p>
      <Problem failure={f} large={item.limits.value === 'large'}>
        {unknown ? (
          <Disclosure class="why" summary={words.unknownWhy}>
            <div class="why-box">
              <Bids found={unknown} />
            </div>
          </Disclosure>
        ) : f.code === 'password' ? (
          <Unlock item={item} />
        ) : raise ? (
          <button type="button" class="primary" onClick={() => void read(item, 'large')}>
            {words.largeLimits}
          </button>
        ) : f.code === 'cancelled' || f.code === 'internal' ? (
          <button type="button" class="primary" onClick={() => void read(item)}>
            {f.code === 'cancelled' ? words.again : words.tryAgain}
          </button>
        ) : undefined}
      </Problem>
    </div>
  );
}
