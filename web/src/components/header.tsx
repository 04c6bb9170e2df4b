// Name of the page, and the promise that matters, with its reason.
import { words } from '../words.ts';
import { Disclosure } from './disclosure.tsx';
import { Icon, Mark } from './icons.tsx';

export function Header({ busy }: { busy: boolean }) {
  return (
    <header class="top" data-busy={busy}>
      <h1 class="brand">
        <Mark />
        {words.app}
      </h1>
      <Disclosure class="trust" summary={
        <>
          <Icon name="lock" />
          <span>{words.trust}</span>
          <span class="trust-how">{words.trustHow}</span>
        </>
      }>
        <p class="trust-why">{words.trustWhy}</p>
      </Disclosure>
    </header>
  );
}
