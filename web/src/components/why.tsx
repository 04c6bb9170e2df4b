// How the file was recognised: every bid with its score and reason, the file's shape, and what only its own app knows.
import type { Detection, Inspection } from '../../../js/src/types.ts';
import { bytes, sentence, words } from '../words.ts';
import { Disclosure } from './disclosure.tsx';

export function Why({ found }: { found: Inspection }) {
  return (
    <Disclosure class="why" summary={words.why}>
      <div class="why-box">
        <h3>{words.whyTitle}</h3>
        <p>
          {words.whyFile}: {found.file.label}, {bytes(found.file.size)}.
        </p>
        <Bids found={found} />
        <p class="fine">{words.whyRule}</p>
        {found.escrow.length > 0 && (
          <>
            <h3>{words.whyEscrow(found.format?.appLabel ?? '')}</h3>
            <p>{words.whyEscrowNote}</p>
            <ul class="paths">
              {found.escrow.map((p) => (
                <li key={p}>
                  <code>{p}</code>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </Disclosure>
  );
}

/** The formats that see something of theirs in a file, best first; the others are only counted. */
export function Bids({ found }: { found: Detection }) {
  const some = found.bids.filter((b) => b.score > 0);
  const none = found.bids.length - some.length;
  if (!some.length) return <p>{words.whyOthers(none)}</p>;
  return (
    <>
      <table>
        <caption class="sr">{words.whyBids}</caption>
        <thead>
          <tr>
            <th scope="col">{words.whyBid}</th>
            <th scope="col">{words.whyScore}</th>
            <th scope="col">{words.whyReason}</th>
          </tr>
        </thead>
        <tbody>
          {some.map((b) => (
            <tr key={b.id} data-won={b.id === found.format?.id}>
              <th scope="row">{b.label}</th>
              <td class="score">{b.score.toFixed(2)}</td>
              <td>{sentence(b.reason)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {none > 0 && <p>{words.whyAlso(none)}</p>}
    </>
  );
}
