// A picture from bytes. Its object URL lives only while the element is near the window.
import { useEffect, useRef, useState } from 'preact/hooks';

interface Props {
  blob: Blob;
  mime: string;
  alt: string;
  class?: string;
}

/** Pictures carry no media type of their own inside an archive; browsers need one for SVG. */
const typed = (blob: Blob, mime: string) => (blob.type === mime || !mime ? blob : blob.slice(0, blob.size, mime));

export function Picture({ blob, mime, alt, class: name }: Props) {
  const holder = useRef<HTMLSpanElement>(null);
  const [near, setNear] = useState(false);
  const [url, setURL] = useState('');
  const [broken, setBroken] = useState(false);

  useEffect(() => {
    const el = holder.current;
    if (!el) return;
    const seen = new IntersectionObserver((entries) => setNear(entries.some((e) => e.isIntersecting)), { rootMargin: '320px' });
    seen.observe(el);
    return () => seen.disconnect();
  }, []);

  useEffect(() => {
    if (!near) return;
    const made = URL.createObjectURL(typed(blob, mime));
    setURL(made);
    return () => {
      setURL('');
      URL.revokeObjectURL(made);
    };
  }, [near, blob, mime]);

  return (
    <span ref={holder} class={`pic ${name ?? ''}`} data-broken={broken}>
      {url && <img src={url} alt={alt} decoding="async" draggable={false} onError={() => setBroken(true)} onLoad={() => setBroken(false)} />}
    </span>
  );
}
