// What the chosen conversion does, and the button that does it.
import { read, replan, type Choice, type FileItem, type Outcome as State } from '../state.ts';
import { raisedByLarge, words } from '../words.ts';
import { Problem } from './problem.tsx';
import { ReportView } from './report.tsx';
import { SaveBar } from './save-bar.tsx';

export function Outcome({ item, choice, outcome }: { item: FileItem; choice: Choice; outcome: State | undefined }) {
  if (!outcome || outcome.state === 'working') {
    return (
      <section class="happens" data-working>
        <h3>{words.happens}</h3>
        <p class="fine late">{words.checking}</p>
      </section>
    );
  }
  if (outcome.state === 'failed') {
    return (
      <Problem failure={outcome.failure} large={item.limits.value === 'large'}>
        {raisedByLarge(outcome.failure) && item.limits.value === 'card' ? (
          <button type="button" class="primary" onClick={() => void read(item, 'large')}>
            {words.largeLimits}
          </button>
        ) : outcome.failure.code === 'internal' || outcome.failure.code === 'cancelled' ? (
          <button type="button" class="soft" onClick={() => replan(item, choice)}>
            {words.tryAgain}
          </button>
        ) : undefined}
      </Problem>
    );
  }
  const forced = outcome.state === 'refused';
  const conversion = outcome.state === 'done' ? outcome.conversion : outcome.forced;
  return (
    <>
      {outcome.state === 'refused' && <Problem failure={outcome.failure} />}
      {conversion && <ReportView report={conversion.report} forced={forced} known={item.inspection.value?.warnings ?? []} />}
      {conversion && <SaveBar key={`${choice.app} ${choice.container} ${choice.spec}`} item={item} choice={choice} conversion={conversion} forced={forced} />}
    </>
  );
}
