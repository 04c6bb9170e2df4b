// The apps that take this kind, each with its verdict; then, quieter, file type and version.
import type { Container, Inspection, Verdict } from '../../../js/src/types.ts';
import { announce } from '../live.ts';
import { go } from '../route.ts';
import { outcomeFor, type Choice, type FileItem } from '../state.ts';
import { containerName, variantName, verdict, words } from '../words.ts';
import { Icon } from './icons.tsx';

type Target = Inspection['targets'][number];

interface Props {
  item: FileItem;
  targets: Target[];
  choice: Choice;
}

export function Targets({ item, targets, choice }: Props) {
  const target = targets.find((t) => t.app === choice.app);
  const outcome = outcomeFor(item, choice);
  const planned = outcome?.state === 'done' ? outcome.conversion : outcome?.state === 'refused' ? outcome.forced : null;
  return (
    <section class="targets" aria-labelledby="to">
      <h3 id="to">{words.convertTo}</h3>
      <div class="chips" role="radiogroup" aria-labelledby="to" onKeyDown={saveOnEnter}>
        {targets.map((t) => {
          const mine = t.app === choice.app;
          const v = mini(item, mine ? choice : { app: t.app, container: '', spec: '' });
          return (
            <label class="chip" key={t.app}>
              <input
                type="radio"
                name="to"
                value={t.app}
                checked={mine}
                onChange={() => {
                  go({ to: t.app });
                  announce(words.selected(t.appLabel, mini(item, { app: t.app, container: '', spec: '' }).text));
                }}
              />
              <span class="chip-app">
                {t.appLabel}
              </span>
              <span class="chip-verdict" data-verdict={v.verdict}>
                {v.text}
                {t.same && <small> · {words.sameApp}</small>}
              </span>
              <span class="chip-check">
                <Icon name="check" />
              </span>
            </label>
          );
        })}
      </div>
      {target && (target.containers.length > 1 || target.specs.length > 1) && (
        <div class="seconds">
          {target.containers.length > 1 && (
            <Segments
              name="as"
              label={words.fileType}
              options={target.containers.map((c) => [c, containerName[c]])}
              value={choice.container || planned?.container || ''}
              onPick={(c) => go({ as: c as Container })}
            />
          )}
          {target.specs.length > 1 && (
            <Segments
              name="spec"
              label={words.version}
              options={target.specs.map((s) => [s, variantName(s)])}
              value={choice.spec || planned?.report.to.spec || ''}
              onPick={(s) => go({ spec: s })}
            />
          )}
        </div>
      )}
    </section>
  );
}

function mini(item: FileItem, c: Choice): { verdict: Verdict | 'none'; text: string } {
  const o = outcomeFor(item, c);
  switch (o?.state) {
    case 'done':
      return verdict(o.conversion.report.counts);
    case 'refused':
      return { verdict: 'lost', text: words.drops };
    case 'failed':
      return { verdict: 'lost', text: words.cannot };
    default:
      return { verdict: 'none', text: words.checking };
  }
}

function saveOnEnter(e: KeyboardEvent): void {
  if (e.key !== 'Enter') return;
  e.preventDefault();
  document.querySelector<HTMLButtonElement>('[data-save]')?.click();
}

interface SegmentsProps {
  name: string;
  label: string;
  options: [string, string][];
  value: string;
  onPick: (value: string) => void;
}

function Segments({ name, label, options, value, onPick }: SegmentsProps) {
  return (
    <div class="segments" role="radiogroup" aria-label={label} onKeyDown={saveOnEnter}>
      <span class="segments-label">{label}</span>
      <span class="segments-box">
        {options.map(([v, text]) => (
          <label key={v}>
            <input type="radio" name={name} value={v} checked={v === value} onChange={() => onPick(v)} />
            <span>{text}</span>
          </label>
        ))}
      </span>
    </div>
  );
}
