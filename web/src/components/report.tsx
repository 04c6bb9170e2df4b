// The report before the download: how much of what, then every item, lost first.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Report, ReportItem, Verdict } from '../../../js/src/types.ts';
import { count, verdictMeaning, verdictName, words } from '../words.ts';
import { Icon } from './icons.tsx';
import { Notes } from './notes.tsx';
import { ReportRow } from './report-row.tsx';
import { useMore } from './use-more.ts';

const order: Verdict[] = ['lost', 'changed', 'parked', 'carried'];

interface Props {
  report: Report;
  /** Nobody asked for this loss yet. */
  forced: boolean;
  /** What was already said about the file. */
  known: readonly string[];
}

export function ReportView({ report, forced, known }: Props) {
  const app = report.to.appLabel;
  const { lost, changed, parked } = report.counts;
  const clean = lost + changed + parked === 0;
  return (
    <section class="happens" aria-labelledby="happens">
      <h3 id="happens">{forced ? words.happensForced : words.happens}</h3>
      <Counts report={report} />
      {clean && <p class="clean">{words.intact(app)}</p>}
      <Notes notes={report.warnings.filter((w) => !known.includes(w))} />
      <Items report={report} />
    </section>
  );
}

function Counts({ report }: { report: Report }) {
  return (
    <>
      <div class="bar" aria-hidden="true">
        {order.map((v) => (report.counts[v] ? <Part key={v} verdict={v} n={report.counts[v]} /> : null))}
      </div>
      <ul class="counts">
        {order.map((v) => (
          <li key={v} data-verdict={v} data-zero={report.counts[v] === 0}>
            <b>{count(report.counts[v])}</b> <span>{verdictName[v]}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Part({ verdict, n }: { verdict: Verdict; n: number }) {
  const el = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    el.current?.style.setProperty('--n', String(n));
  }, [n]);
  return <span ref={el} data-verdict={verdict} />;
}

function Items({ report }: { report: Report }) {
  const [open, setOpen] = useState(false);
  const by = (v: Verdict) => report.items.filter((i) => i.verdict === v);
  const carried = by('carried');
  const groups = order.filter((v) => v !== 'carried' && by(v).length > 0);
  if (!report.items.length) return null;
  return (
    <>
      {(groups.length > 0 || open) && (
        <table class="report" role="table">
          <thead role="rowgroup">
            <tr role="row">
              <th scope="col" role="columnheader">{words.field}</th>
              <th scope="col" role="columnheader">{words.before} <span>({report.from.appLabel})</span></th>
              <th scope="col" role="columnheader">{words.after} <span>({report.to.appLabel})</span></th>
            </tr>
          </thead>
          {groups.map((v) => (
            <Group key={v} verdict={v} items={by(v)} app={report.to.appLabel} />
          ))}
          {open && <Group verdict="carried" items={carried} app={report.to.appLabel} />}
        </table>
      )}
      {carried.length > 0 && (
        <button type="button" class="fold" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name="down" />
          {open ? words.hideCarried : words.showCarried(carried.length)}
        </button>
      )}
    </>
  );
}

function Group({ verdict, items, app }: { verdict: Verdict; items: ReportItem[]; app: string }) {
  const { shown, left, more } = useMore(items, 100);
  return (
    <tbody role="rowgroup" data-verdict={verdict}>
      <tr class="group" role="row">
        <th colSpan={3} scope="rowgroup" role="rowheader">
          <b>{verdictName[verdict]}</b> <span>{verdictMeaning[verdict](app)}</span>
        </th>
      </tr>
      {shown.map((i) => (
        <ReportRow key={`${i.piece} ${i.path}`} item={i} />
      ))}
      {left > 0 && (
        <tr role="row">
          <td colSpan={3} role="cell">
            <button type="button" class="soft" onClick={more}>
              {words.more(left)}
            </button>
          </td>
        </tr>
      )}
    </tbody>
  );
}
