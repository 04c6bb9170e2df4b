// The files in this tab and what is known of each: how reading went, and what every conversion would do.
import { computed, effect, signal, type Signal } from '@preact/signals';
import type { Container, Conversion, ConvertOptions, Detection, Failure, FormatInfo, Inspection, LimitsProfile } from '../../js/src/types.ts';
import * as engine from './engine.ts';
import { asFailure } from './failure.ts';
import { announce } from './live.ts';
import { go, route } from './route.ts';
import { kindName, plain, problemTitle, words } from './words.ts';

export type Outcome =
  | { state: 'working' }
  | { state: 'done'; conversion: Conversion }
  /** The engine will not write it unasked; `forced` is what would come out all the same. */
  | { state: 'refused'; failure: Failure; forced: Conversion | null }
  | { state: 'failed'; failure: Failure };

export interface FileItem {
  id: string;
  file: File;
  status: Signal<'reading' | 'ready' | 'failed'>;
  /** Reading has taken longer than people call instant. */
  slow: Signal<boolean>;
  limits: Signal<LimitsProfile>;
  /** Of an encrypted card, as typed; forgotten with the file. */
  password: string;
  inspection: Signal<Inspection | null>;
  failure: Signal<Failure | null>;
  /** Of a file that no format claims: what each said. */
  bids: Signal<Detection | null>;
  /** By choice key: what converting would do. */
  outcomes: Signal<ReadonlyMap<string, Outcome>>;
  abort: AbortController;
}

export interface Choice {
  app: string;
  container: Container | '';
  spec: string;
}

export const SLOW_AFTER = 300;

export const items = signal<readonly FileItem[]>([]);
export const formats = signal<FormatInfo[]>([]);

const narrowQuery = matchMedia('(max-width: 54.99rem)');
export const narrow = signal(narrowQuery.matches);
narrowQuery.addEventListener('change', (e) => {
  narrow.value = e.matches;
});

/** The file whose card is shown. On wide screens there always is one. */
export const current = computed<FileItem | null>(() => {
  const all = items.value;
  const asked = all.find((i) => i.id === route.value.file);
  return asked ?? (narrow.value ? null : (all[0] ?? null));
});

/** What a file is called in the page: the name of what it holds, else its own. */
export const titleOf = (i: FileItem): string => plain((i.status.value === 'ready' && i.inspection.value?.pieces[0]?.name) || i.file.name);

/** Of files with a name that others in the list have too: what tells them apart. */
export const twins = computed<ReadonlyMap<FileItem, string>>(() => {
  const out = new Map<FileItem, string>();
  for (const same of grouped(items.value, titleOf)) {
    for (const files of same.length > 1 ? grouped(same, (i) => plain(i.file.name)) : []) {
      files.forEach((i, at) => out.set(i, `${files.length > 1 ? `${words.copy(at + 1, files.length)} · ` : ''}${plain(i.file.name)}`));
    }
  }
  return out;
});

function grouped(all: readonly FileItem[], by: (i: FileItem) => string): FileItem[][] {
  const groups = new Map<string, FileItem[]>();
  for (const i of all) {
    const key = by(i);
    const group = groups.get(key);
    if (group) group.push(i);
    else groups.set(key, [i]);
  }
  return [...groups.values()];
}

let serial = 0;

export function addFiles(files: readonly File[]): void {
  if (!files.length) return;
  const added = files.map((file): FileItem => ({
    id: String(++serial),
    file,
    status: signal('reading'),
    slow: signal(false),
    limits: signal('card'),
    password: '',
    inspection: signal(null),
    failure: signal(null),
    bids: signal(null),
    outcomes: signal(new Map()),
    abort: new AbortController(),
  }));
  items.value = [...items.value, ...added];
  const first = added[0]!;
  if (!narrow.value) go({ file: first.id });
  else if (added.length === 1) go({ file: first.id }, true);
  else go({ file: '' });
  for (const item of added) void read(item);
}

export async function read(item: FileItem, limits: LimitsProfile = item.limits.value): Promise<void> {
  item.abort.abort();
  const abort = new AbortController();
  item.abort = abort;
  item.limits.value = limits;
  item.status.value = 'reading';
  item.failure.value = null;
  item.bids.value = null;
  item.outcomes.value = new Map();
  const timer = setTimeout(() => {
    item.slow.value = true;
  }, SLOW_AFTER);
  try {
    const found = await engine.inspect(item.file, { name: item.file.name, limits, password: item.password }, { signal: abort.signal, urgent: current.peek() === item });
    if (item.abort !== abort) return;
    item.inspection.value = found;
    item.status.value = 'ready';
    announce(words.read(titleOf(item), found.format ? `${found.format.appLabel} ${kindName(found.format.kind)}` : ''));
  } catch (e) {
    if (item.abort !== abort) return;
    const f = asFailure(e);
    if (f.code === 'not-recognized') {
      item.bids.value = await engine.detect(item.file, { name: item.file.name, limits }, { signal: abort.signal }).catch(() => null);
      if (item.abort !== abort) return;
    }
    fail(item, f);
  } finally {
    clearTimeout(timer);
    if (item.abort === abort) item.slow.value = false;
  }
}

function fail(item: FileItem, f: Failure): void {
  item.failure.value = f;
  item.status.value = 'failed';
  announce(words.failed(plain(item.file.name), problemTitle(f.code, item.limits.value === 'large')));
}

export function cancel(item: FileItem): void {
  item.abort.abort();
}

export function remove(item: FileItem): void {
  const at = items.value.indexOf(item);
  item.abort.abort();
  // Nothing more of this file is wanted: a late answer must not speak.
  item.abort = new AbortController();
  items.value = items.value.filter((i) => i !== item);
  if (route.value.file === item.id) {
    const next = items.value[Math.min(at, items.value.length - 1)];
    go({ file: narrow.value ? '' : (next?.id ?? '') });
  }
}

/** Forgets every file. */
export function clear(): void {
  for (const item of items.value) {
    item.abort.abort();
    item.abort = new AbortController();
  }
  items.value = [];
  go({ file: '' });
}

/** bunzai's own file is for keeping, not for another app: it is offered last and never by default. */
const OWN = 'bunzai';

/** The apps to offer: others first, the file's own app next. */
export function targetsOf(item: FileItem): Inspection['targets'] {
  const rank = (t: Inspection['targets'][number]) => (t.app === OWN ? 2 : t.same ? 1 : 0);
  return [...(item.inspection.value?.targets ?? [])].sort((a, b) => rank(a) - rank(b));
}

/** What is chosen for this file: the address's wish where the file allows it, else a sensible default. */
export function choiceFor(item: FileItem): Choice | null {
  const targets = targetsOf(item);
  const target = targets.find((t) => t.app === route.value.to) ?? targets.find((t) => !t.same && t.app !== OWN) ?? targets[0];
  if (!target) return null;
  const container = target.containers.find((c) => c === route.value.as) ?? '';
  const spec = target.specs.find((s) => s === route.value.spec) ?? '';
  return { app: target.app, container, spec };
}

const keyOf = (c: Choice) => `${c.app}|${c.container}|${c.spec}`;

export const outcomeFor = (item: FileItem, c: Choice): Outcome | undefined => item.outcomes.value.get(keyOf(c));

export function optionsFor(item: FileItem, c: Choice): ConvertOptions {
  const o: ConvertOptions = { to: c.app, name: item.file.name, limits: item.limits.value };
  if (item.password) o.password = item.password;
  if (c.container) o.container = c.container;
  if (c.spec) o.spec = c.spec;
  return o;
}

/** Finds out what a conversion would do, once. */
async function plan(item: FileItem, c: Choice, urgent: boolean): Promise<void> {
  const key = keyOf(c);
  if (item.outcomes.peek().has(key)) return;
  const abort = item.abort;
  const set = (o: Outcome) => {
    if (item.abort === abort) item.outcomes.value = new Map(item.outcomes.peek()).set(key, o);
  };
  set({ state: 'working' });
  const call = { signal: abort.signal, urgent };
  const dry = { ...optionsFor(item, c), dryRun: true };
  try {
    set({ state: 'done', conversion: await engine.convert(item.file, dry, call) });
  } catch (e) {
    const f = asFailure(e);
    if (f.code !== 'would-lose') {
      set({ state: 'failed', failure: f });
      return;
    }
    const forced = await engine.convert(item.file, { ...dry, allowLoss: true }, call).catch(() => null);
    set({ state: 'refused', failure: f, forced });
  }
}

/** Forgets a conversion's outcome so that it is worked out again. */
export function replan(item: FileItem, c: Choice): void {
  const next = new Map(item.outcomes.value);
  next.delete(keyOf(c));
  item.outcomes.value = next;
  void plan(item, c, true);
}

// The chosen conversion of the shown card first, then every other app's verdict.
effect(() => {
  const item = current.value;
  if (!item || item.status.value !== 'ready') return;
  const choice = choiceFor(item);
  if (!choice) return;
  void plan(item, choice, true);
  for (const t of targetsOf(item)) {
    if (t.app !== choice.app) void plan(item, { app: t.app, container: '', spec: '' }, false);
  }
});

// For people who test: how much memory the engine holds.
effect(() => {
  document.documentElement.dataset['engineMemory'] = String(engine.engineMemory.value);
  document.documentElement.dataset['enginePeak'] = String(engine.enginePeak.value);
});

/** Starts the engine at load: the first file finds it ready, and the page needs no network from then on. */
export function warmUp(): void {
  engine.formats().then(
    (f) => {
      formats.value = f;
    },
    () => {
      // engineFailure tells the page.
    },
  );
}
