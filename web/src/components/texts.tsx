// The texts of a piece, each with its name in words and where it lives in the file.
import type { TextView } from '../../../js/src/types.ts';
import { LongText } from './long-text.tsx';

export function Texts({ texts }: { texts: TextView[] }) {
  return (
    <dl class="texts">
      {texts.map((t) => (
        <div key={t.path}>
          <dt>
            {t.label} <code>{t.wire}</code>
          </dt>
          <dd>
            <LongText text={t.text} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
