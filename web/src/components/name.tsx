// A name as a heading: at most three lines, with the rest on request; its direction stays its own.
import { useEffect, useRef, useState } from 'preact/hooks';
import { plain, words } from '../words.ts';

export function Name({ text, class: name }: { text: string; class: string }) {
  const el = useRef<HTMLHeadingElement>(null);
  const [open, setOpen] = useState(false);
  const [cut, setCut] = useState(false);
  const shown = plain(text);
  useEffect(() => {
    const h = el.current;
    if (!h || open) return;
    // A tight line height alone makes a heading overflow by a few pixels; a hidden line is more.
    const look = new ResizeObserver(() => {
      // Unfolding resizes it too, before this observer is gone.
      if (h.dataset['open'] !== 'true') setCut(h.scrollHeight - h.clientHeight > 12);
    });
    look.observe(h);
    return () => look.disconnect();
  }, [shown, open]);
  return (
    <>
      <h2 ref={el} class={`${name} clamp`} data-open={open} title={cut ? shown : undefined}>
        <bdi>{shown}</bdi>
      </h2>
      {cut && (
        <button type="button" class="link" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? words.lessText : words.wholeName}
        </button>
      )}
    </>
  );
}
