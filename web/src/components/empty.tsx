// The first screen: the window is the drop zone.
import { engineFailure } from '../engine.ts';
import { hovering, openSample, pick } from '../intake.ts';
import { formats } from '../state.ts';
import { reads, words } from '../words.ts';
import { Problem } from './problem.tsx';

export function Empty() {
  const broken = engineFailure.value;
  return (
    <div class="empty" data-hover={hovering.value}>
      <div class="fan" aria-hidden="true">
        <div class="leaf leaf-json">
          <b>{'{'}</b>
          <i /><i /><i /><i /><i /><i />
          <b>{'}'}</b>
        </div>
        <div class="leaf leaf-zip">
          <i /><i /><i /><i />
        </div>
        <div class="leaf leaf-png">
          <img src="./sample.png" alt="" width="400" height="600" draggable={false} />
        </div>
      </div>
      <div class="pitch">
        <h2>{words.headline}</h2>
        <p class="lead">{words.pitch}</p>
        <div class="acts">
          <button type="button" class="primary big" onClick={pick}>
            {words.choose}
          </button>
          <button type="button" class="quiet" onClick={() => void openSample()}>
            {words.sample}
          </button>
        </div>
        <p class="fine">
          {formats.value.length ? reads(formats.value) : words.readsEarly} {words.paste}
        </p>
        {broken && <Problem failure={broken} />}
      </div>
    </div>
  );
}
