// The page: a header, and one of its states.
import { useEffect } from 'preact/hooks';
import { Card } from './components/card.tsx';
import { DropTarget } from './components/drop-target.tsx';
import { Empty } from './components/empty.tsx';
import { FileList } from './components/file-list.tsx';
import { Header } from './components/header.tsx';
import { registerPicker } from './intake.ts';
import { spoken } from './live.ts';
import { plain, words } from './words.ts';
import { addFiles, current, items } from './state.ts';

export function App() {
  const any = items.value.length > 0;
  const item = current.value;
  const name = plain(item?.inspection.value?.pieces[0]?.name ?? '');
  useEffect(() => {
    document.title = name ? `${name} · ${words.app}` : words.title;
  }, [name]);
  return (
    <>
      <Header busy={any} />
      <main class={any ? 'work' : 'start'} data-view={item ? 'card' : 'list'}>
        {any ? (
          <>
            <FileList />
            {item && <Card key={item.id} item={item} />}
          </>
        ) : (
          <Empty />
        )}
      </main>
      <input
        ref={registerPicker}
        type="file"
        multiple
        hidden
        data-picker
        onChange={(e) => {
          addFiles([...(e.currentTarget.files ?? [])]);
          e.currentTarget.value = '';
        }}
      />
      <DropTarget />
      <p class="sr" role="status" aria-live="polite">
        {spoken.value}
      </p>
    </>
  );
}
