// A details element that Esc closes when the focus is in it.
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

interface Props {
  summary: ComponentChildren;
  children: ComponentChildren;
  class?: string;
}

export function Disclosure({ summary, children, class: name }: Props) {
  const el = useRef<HTMLDetailsElement>(null);
  return (
    <details
      ref={el}
      class={name}
      onKeyDown={(e) => {
        if (e.key !== 'Escape' || !el.current?.open) return;
        e.stopPropagation();
        el.current.open = false;
        el.current.querySelector('summary')?.focus();
      }}
    >
      <summary>{summary}</summary>
      {children}
    </details>
  );
}
