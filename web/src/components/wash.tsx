// A soft wash of the portrait's own colours behind the head of the card: a picture of a few pixels, stretched.
import { useEffect, useRef } from 'preact/hooks';

export function Wash({ blob }: { blob: Blob }) {
  const el = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    let gone = false;
    createImageBitmap(blob, { resizeWidth: 12, resizeHeight: 8, resizeQuality: 'medium' }).then(
      (small) => {
        const canvas = el.current;
        if (!gone && canvas) {
          canvas.getContext('2d')?.drawImage(small, 0, 0, canvas.width, canvas.height);
          canvas.dataset['on'] = 'true';
        }
        small.close();
      },
      () => {
        // Not a picture that this browser decodes: no wash.
      },
    );
    return () => {
      gone = true;
    };
  }, [blob]);
  return <canvas ref={el} class="wash" width={12} height={8} aria-hidden="true" />;
}
