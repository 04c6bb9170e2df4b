// Seen while a file hangs over the window.
import { hovering } from '../intake.ts';
import { words } from '../words.ts';

export function DropTarget() {
  return (
    <div class="drop-target" data-on={hovering.value} aria-hidden="true">
      <span>{words.dropHere}</span>
    </div>
  );
}
