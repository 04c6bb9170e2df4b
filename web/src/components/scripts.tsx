// Scripts are data: named, and never run.
import { words } from '../words.ts';

export function Scripts({ names }: { names: string[] }) {
  return (
    <>
      <p>{words.scriptsNote}</p>
      <ul class="paths">
        {names.map((n, i) => (
          <li key={i}>
            <code>{n}</code>
          </li>
        ))}
      </ul>
    </>
  );
}
