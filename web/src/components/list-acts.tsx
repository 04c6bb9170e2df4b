// For the whole list: save every file that is read, one after the other, and empty the list.
import { useEffect, useRef, useState } from 'preact/hooks';
import { produce, save } from '../deliver.ts';
import { announce } from '../live.ts';
import { choiceFor, clear, items } from '../state.ts';
import { words } from '../words.ts';
import { Icon } from './icons.tsx';

/** Browsers drop a download that follows too closely upon another. */
const PAUSE = 250;

export function ListActs() {
  const [at, setAt] = useState<[number, number] | null>(null);
  const [told, setTold] = useState('');
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const ready = items.value.filter((i) => i.status.value === 'ready' && choiceFor(i));

  const saveAll = async () => {
    const stop = new AbortController();
    abort.current = stop;
    setTold('');
    // What the cards show now: a choice made meanwhile is for the next time.
    const jobs = ready.map((item) => ({ item, choice: choiceFor(item)! }));
    let saved = 0;
    let losing = 0;
    let left = 0;
    for (const [n, { item, choice }] of jobs.entries()) {
      setAt([n + 1, jobs.length]);
      try {
        const made = await produce(item, choice, false, stop.signal);
        if (stop.signal.aborted) break;
        save(made);
        saved++;
        if (made.lost) losing++;
      } catch {
        if (stop.signal.aborted) break;
        left++;
      }
      await new Promise((r) => setTimeout(r, PAUSE));
      if (stop.signal.aborted) break;
    }
    setAt(null);
    if (!items.peek().length) return;
    const text = words.savedAll(saved, losing, left);
    setTold(text);
    announce(text);
  };

  return (
    <>
      <div class="list-acts">
        {at ? (
          <button type="button" class="soft" onClick={() => abort.current?.abort()}>
            {words.savingAll(...at)} · {words.cancel}
          </button>
        ) : (
          ready.length > 1 && (
            <button type="button" class="soft" data-save-all title={words.saveAllHow} onClick={() => void saveAll()}>
              <Icon name="save" />
              {words.saveAll(ready.length)}
            </button>
          )
        )}
        <button
          type="button"
          class="soft"
          data-clear
          onClick={() => {
            abort.current?.abort();
            clear();
            setTimeout(() => document.querySelector<HTMLElement>('.empty .primary')?.focus(), 60);
          }}
        >
          {words.clear}
        </button>
      </div>
      {told && <p class="fine list-told">{told}</p>}
    </>
  );
}
