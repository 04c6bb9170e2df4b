// An error for people: what, where, and what to do, with the button that does it.
import type { ComponentChildren } from 'preact';
import type { Failure } from '../../../js/src/types.ts';
import { advice, limitMessage, problemTitle, sentence, words } from '../words.ts';
import { Icon } from './icons.tsx';

interface Props {
  failure: Failure;
  /** The file was already opened with large limits. */
  large?: boolean;
  children?: ComponentChildren;
}

export function Problem({ failure, large = false, children }: Props) {
  const todo = advice(failure, large);
  return (
    <section class="problem" data-code={failure.code}>
      <Icon name={failure.code === 'cancelled' ? 'stop' : 'warn'} />
      <div>
        <h3>{problemTitle(failure.code, large)}</h3>
        {failure.code !== 'cancelled' && <p>{(failure.limit && limitMessage(failure.limit, large)) || sentence(failure.message)}</p>}
        {failure.where && (
          <p class="where">
            {words.where}: <code>{failure.where}</code>
          </p>
        )}
        {todo && <p>{todo}</p>}
        {children && <div class="acts">{children}</div>}
      </div>
    </section>
  );
}
