// Scripts are data: named, and never run.
import { plain, words } from '../words.ts';

const FEW = 5;

export function Scripts({ names }: { names: string[] }) {
  return (
    <>
      <p>{names.length > FEW ? words.scriptsMany(names.length) : words.scriptsNote(names)}</p>
      {names.length > FEW && (
        <ul class="paths">
          {names.map((n, i) => (
            <li key={i}>
              <code>{plain(n)}</code>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
