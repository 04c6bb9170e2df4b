// What the file holds, in tabs. Only tabs with something in them appear.
import type { ComponentChildren } from 'preact';
import type { Inspection } from '../../../js/src/types.ts';
import { go, route } from '../route.ts';
import { count, words } from '../words.ts';
import { Greetings } from './greetings.tsx';
import { Lorebook } from './lorebook.tsx';
import { Pictures } from './pictures.tsx';
import { Scripts } from './scripts.tsx';
import { Texts } from './texts.tsx';

interface Tab {
  id: string;
  label: string;
  n: number;
  view: () => ComponentChildren;
}

export function Inside({ found }: { found: Inspection }) {
  const main = found.pieces[0];
  const assets = found.pieces.flatMap((p) => p.assets);
  const books = found.pieces.filter((p) => p.entries.length > 0);
  const scripts = found.pieces.flatMap((p) => p.scripts);
  const all: Tab[] = [
    { id: 'texts', label: words.texts, n: main?.texts.length ?? 0, view: () => <Texts texts={main?.texts ?? []} /> },
    { id: 'greetings', label: words.greetings, n: main?.greetings.length ?? 0, view: () => <Greetings greetings={main?.greetings ?? []} /> },
    { id: 'lorebook', label: words.lorebook, n: books.reduce((n, b) => n + b.entries.length, 0), view: () => <Lorebook books={books} /> },
    { id: 'pictures', label: words.pictures, n: assets.length, view: () => <Pictures assets={assets} /> },
    { id: 'scripts', label: words.scripts, n: scripts.length, view: () => <Scripts names={scripts} /> },
  ];
  const tabs = all.filter((t) => t.n > 0);
  const first = main?.kind === 'lorebook' ? tabs.find((t) => t.id === 'lorebook') : tabs[0];
  const open = tabs.find((t) => t.id === route.value.tab) ?? first;
  if (!open) {
    return (
      <section class="inside">
        <h3>{words.inside}</h3>
        <p class="fine">{words.noneInside}</p>
      </section>
    );
  }
  const step = (e: KeyboardEvent) => {
    const at = tabs.indexOf(open);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[e.key];
    if (to === undefined) return;
    e.preventDefault();
    const next = tabs[(to + tabs.length) % tabs.length];
    if (!next) return;
    go({ tab: next.id });
    document.getElementById(`tab-${next.id}`)?.focus();
  };
  return (
    <section class="inside" aria-labelledby="inside">
      <h3 id="inside">{words.inside}</h3>
      <div class="tabs" role="tablist" aria-labelledby="inside" onKeyDown={step}>
        {tabs.map((t) => (
          <button
            key={t.id}
            type="button"
            role="tab"
            id={`tab-${t.id}`}
            aria-selected={t === open}
            aria-controls="panel"
            tabIndex={t === open ? 0 : -1}
            onClick={() => go({ tab: t.id })}
          >
            {t.label} <small>{count(t.n)}</small>
          </button>
        ))}
      </div>
      <div class="panel" id="panel" role="tabpanel" aria-labelledby={`tab-${open.id}`} tabIndex={0}>
        {open.view()}
      </div>
    </section>
  );
}
