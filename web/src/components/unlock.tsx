// A card that its app encrypted: a field for the password. What is typed stays in this tab and is forgotten with the file.
import { useEffect, useId, useRef } from 'preact/hooks';
import { read, type FileItem } from '../state.ts';
import { words } from '../words.ts';

export function Unlock({ item }: { item: FileItem }) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const tried = item.password !== '';
  // A password that did not fit: the next one is typed at once.
  useEffect(() => {
    if (tried) field.current?.focus();
  }, []);
  const open = async (e: Event) => {
    e.preventDefault();
    item.password = field.current?.value ?? '';
    await read(item);
    if (item.status.value === 'ready') setTimeout(() => document.querySelector<HTMLElement>('article.card')?.focus({ preventScroll: true }), 60);
  };
  return (
    <form class="unlock" onSubmit={(e) => void open(e)}>
      <label for={id}>{words.password}</label>
      <input id={id} ref={field} type="password" required autocomplete="off" spellcheck={false} aria-describedby={`${id}-note`} aria-invalid={tried} />
      <button type="submit" class="primary">
        {words.unlock}
      </button>
      <p class="fine" id={`${id}-note`}>
        {words.passwordNote}
      </p>
    </form>
  );
}
