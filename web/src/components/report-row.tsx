// One item of the report: the field in words, what was, what will be, and why.
import { useState } from 'preact/hooks';
import type { ReportItem } from '../../../js/src/types.ts';
import { sentence, words } from '../words.ts';
import { Diff } from './diff.tsx';

const LONG = 90;

export function ReportRow({ item }: { item: ReportItem }) {
  const { before, after } = item;
  const both = before !== null && after !== null && before !== '' && after !== '';
  const differ = item.verdict === 'changed' && both && (before.length > LONG || after.length > LONG);
  return (
    <tr role="row">
      <th scope="row" role="rowheader">
        <span class="label">
          {item.label}
          {item.count > 1 && before !== null && <small> {words.values(item.count)}</small>}
        </span>
        {item.wire && <code>{item.wire}</code>}
        {item.reason && <span class="reason">{sentence(item.reason)}</span>}
      </th>
      {differ ? (
        <td colSpan={2} role="cell" class="wide">
          <Diff before={before} after={after} />
        </td>
      ) : same(item) ? (
        <td colSpan={2} role="cell" class="wide">
          <Value text={after} />
        </td>
      ) : before === null && after === null ? (
        // One line for many values: there is no single text to show.
        <td colSpan={2} role="cell" class="wide">
          <span class="none">{words.values(item.count)}</span>
        </td>
      ) : (
        <>
          <td role="cell" data-head={words.before}>
            <Value text={before} />
          </td>
          <td role="cell" data-head={words.after}>
            <Value text={after} />
          </td>
        </>
      )}
    </tr>
  );
}

const same = (i: ReportItem) => i.before !== null && i.before === i.after;

function Value({ text }: { text: string | null }) {
  const [open, setOpen] = useState(false);
  if (text === null) return <span class="none">{words.nothing}</span>;
  if (text === '') return <span class="none">{words.emptyText}</span>;
  const long = text.length > LONG;
  return (
    <>
      <span class="value">{long && !open ? `${text.slice(0, LONG).trimEnd()}…` : text}</span>
      {long && (
        <button type="button" class="link" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? words.lessText : words.wholeText}
        </button>
      )}
    </>
  );
}
