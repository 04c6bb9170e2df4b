// Every word of the page. Plain, short, exact; no exclamation marks. Translations will replace this one file.
import type { Container, ErrorCode, Failure, FormatInfo, Kind, LimitHit, Verdict } from '../../js/src/types.ts';

const number = new Intl.NumberFormat('en');

// Marks that turn the direction of what follows: in a name they would turn the page's own words too.
const marks = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A name or other short text of a file, for display: without directional marks. */
export const plain = (s: string) => s.replace(marks, '');

export const count = (n: number) => number.format(n);

/** "1 file", "2,114 files". */
export const counted = (n: number, one: string, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;

/** 529612 becomes "530 KB". Decimal units, as file managers show. */
export function bytes(n: number): string {
  if (n < 0) return 'size unknown';
  if (n < 1000) return counted(n, 'byte');
  const units = ['KB', 'MB', 'GB'];
  let value = n;
  let unit = 'bytes';
  for (const u of units) {
    if (value < 1000) break;
    value /= 1000;
    unit = u;
  }
  return `${value < 10 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)} ${unit}`;
}

/** Engine messages start small and end open; people get a sentence. */
export function sentence(s: string): string {
  const t = s.trim();
  if (!t) return '';
  // A place in the file keeps its spelling: data.first_mes, entries[3].
  const place = /^[^\s]*[.[_/][^\s]+/.test(t);
  return (place ? t : t[0]!.toUpperCase() + t.slice(1)) + (/[.!?:]$/.test(t) ? '' : '.');
}

const kinds: Record<Kind, [string, string]> = {
  character: ['character', 'characters'],
  lorebook: ['lorebook', 'lorebooks'],
  regex: ['regex set', 'regex sets'],
  persona: ['persona', 'personas'],
  preset: ['preset', 'presets'],
  quickreply: ['quick reply set', 'quick reply sets'],
};

export const kindName = (k: Kind) => kinds[k][0];

export const containerName: Record<Container, string> = { png: 'PNG', json: 'JSON', charx: 'CHARX', jpeg: 'JPEG', risum: 'RISUM', risup: 'RISUP', risupreset: 'RISUPRESET', yaml: 'YAML' };

const variantNames: Record<string, string> = { v1: 'V1', v2: 'V2', v3: 'V3', flat: 'flat', yaml: 'YAML' };

/** Versions that people know; a format's other names for its shapes say nothing to them. */
export const variantName = (v: string) => variantNames[v] ?? '';

/** "SillyTavern character card" of SillyTavern becomes "character card". */
export function formatName(label: string, appLabel: string): string {
  return label.startsWith(`${appLabel} `) ? label.slice(appLabel.length + 1) : label;
}

function listed(items: string[]): string {
  const last = items[items.length - 1] ?? '';
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} and ${last}`;
}

/** What the page reads, from what the engine declares. */
export function reads(formats: FormatInfo[]): string {
  const by = new Map<string, Kind[]>();
  for (const f of formats) {
    const list = by.get(f.appLabel) ?? [];
    if (!list.includes(f.kind)) list.push(f.kind);
    by.set(f.appLabel, list);
  }
  const kindsFound = [...new Set(formats.map((f) => f.kind))].map((k) => kinds[k][1]);
  return `Reads ${listed(kindsFound)} of ${listed([...by.keys()])}, as PNG, JSON, ZIP or CHARX.`;
}

export const verdictName: Record<Verdict, string> = { lost: 'lost', changed: 'changed', parked: 'parked', carried: 'carried' };

export const verdictMeaning: Record<Verdict, (app: string) => string> = {
  lost: (app) => `${app} has no place for it`,
  changed: (app) => `held by ${app}, with another value`,
  parked: (app) => `stays in the file; ${app} does not use it`,
  carried: (app) => `the same in ${app}`,
};

/** The tiny verdict on a chip: the worst first. */
export function verdict(counts: Record<Verdict, number>): { verdict: Verdict; text: string } {
  if (counts.lost) return { verdict: 'lost', text: `${count(counts.lost)} lost` };
  if (counts.changed) return { verdict: 'changed', text: `${count(counts.changed)} changed` };
  if (counts.parked) return { verdict: 'parked', text: `${count(counts.parked)} parked` };
  return { verdict: 'carried', text: 'all carried' };
}

const problemTitles: Record<ErrorCode, string> = {
  empty: 'This file is empty',
  'not-recognized': 'Not a file that bunzai knows',
  'no-card': 'There is no card in this file',
  unsupported: 'bunzai does not read this kind of file',
  damaged: 'This file is damaged',
  ambiguous: 'This file could be two things',
  password: 'This card is locked',
  limit: 'This file is beyond the safe limits',
  'wrong-kind': 'This app has no place for it',
  'unknown-target': 'This app is not known',
  'would-lose': 'Saving this way would drop content',
  'no-piece': 'A piece is missing from the library',
  'bad-argument': 'The engine was asked for something it cannot do',
  cancelled: 'Cancelled',
  internal: 'The engine stopped',
};

/** The title of an error; `large` says that the file was already opened with large limits. */
export const problemTitle = (code: ErrorCode, large: boolean) => (large && code === 'limit' ? 'This file is beyond the large limits' : problemTitles[code]);

/** Large limits are one click away where the engine says that they help. */
export const raisedByLarge = (f: Failure) => f.limit?.raise.includes('large limits') ?? false;

/** What to do next, where the message itself does not say. */
export function advice(f: Failure, large: boolean): string {
  switch (f.code) {
    case 'limit':
      if (large) return 'These are the highest limits of this page. They keep a file from filling the memory.';
      if (raisedByLarge(f)) return 'The limits keep a hostile file from filling the memory. If you trust this file, open it with large limits.';
      return f.limit?.raise ? sentence(f.limit.raise) : 'The limits keep a hostile file from filling the memory; nothing raises this one.';
    case 'no-card':
      return 'Look for the original file: websites often show a copy of the picture without the card.';
    case 'damaged':
      return 'Download or export the file again. The file on your disk was not touched.';
    case 'empty':
      return 'Download or export the file again.';
    case 'would-lose':
      return 'Choose another file type above, or save without that content.';
    default:
      return '';
  }
}

const limitNames: Record<string, string> = {
  Archive: 'Size of the archive',
  ArchiveEntries: 'Files in the archive',
  Entry: 'Size of one unpacked file',
  Inflated: 'Size of all unpacked files',
  Ratio: 'Unpacked size over packed size',
  JSON: 'Size of the JSON text',
  JSONDepth: 'Levels of nesting in the JSON',
  PNGChunks: 'Chunks in the picture',
  PNGText: 'Size of the card in the picture',
};

/** A limit in words: "Files in the archive: 2,114. The safe limit is 512." */
export function limitMessage(l: LimitHit, large: boolean): string {
  const which = large ? 'large' : 'safe';
  const amount = (n: number) => (l.unit === 'bytes' ? binary(n) : count(n));
  const what = limitNames[l.name];
  if (!what) return '';
  return l.found > l.value ? `${what}: ${amount(l.found)}. The ${which} limit is ${amount(l.value)}.` : `${what}: more than ${amount(l.value)}, which is the ${which} limit.`;
}

/** Limits are powers of two and are said as such. */
function binary(n: number): string {
  for (const [unit, size] of [['GiB', 2 ** 30], ['MiB', 2 ** 20], ['KiB', 1024]] as const) {
    if (n >= size) return `${(n / size).toFixed(n % size && n < 10 * size ? 1 : 0)} ${unit}`;
  }
  return counted(n, 'byte');
}

export const words = {
  app: 'bunzai',
  title: 'bunzai: character cards, from app to app',
  headline: 'Drop a character card',
  pitch: 'See what it is, turn it into another app’s file. Nothing leaves this tab.',
  choose: 'Choose files',
  sample: 'Try a sample card',
  readsEarly: 'Reads PNG, JSON, ZIP and CHARX cards.',
  paste: 'Pasting works too.',
  dropHere: 'Drop to open',
  add: 'Add files',
  files: 'Files',
  clear: 'Clear list',
  saveAll: (n: number) => `Save all (${count(n)})`,
  saveAllHow: 'Saves every file that is read, each for the app that its card shows',
  savingAll: (i: number, n: number) => `Writing ${count(i)} of ${count(n)}`,
  savedAll: (n: number, losing: number, left: number) =>
    [
      `Saved ${counted(n, 'file')}.`,
      losing ? `${counted(losing, 'file')} lost something on the way; the report of each says what.` : '',
      left ? `${counted(left, 'file')} could not be saved or would drop content; open each to see why.` : '',
    ].filter(Boolean).join(' '),
  copy: (i: number, n: number) => `${count(i)} of ${count(n)}`,
  findFile: 'Find a file',
  noFile: 'No file matches.',
  reading: 'Reading',
  waiting: 'Waiting',
  cancel: 'Cancel',
  cancelled: 'Cancelled',
  remove: (name: string) => `Remove ${name} from the list`,
  cancelFile: (name: string) => `Cancel reading ${name}`,
  again: 'Read it again',
  back: 'All files',
  trust: 'Nothing is uploaded',
  trustHow: 'How can I be sure?',
  trustWhy:
    'The page carries a rule that your browser enforces: it may talk to its own address and to nothing else, and it has no code that sends a file anywhere. Switch your network off and try: everything still works.',
  why: 'Why?',
  whyTitle: 'How this file was recognised',
  whyFile: 'The file',
  whyBids: 'What each format said',
  whyBid: 'Format',
  whyScore: 'Score',
  whyReason: 'Reason',
  notes: (n: number) => counted(n, 'note'),
  unknownWhy: 'What each format said',
  whyOthers: (n: number) => `${counted(n, 'format')} that ${n === 1 ? 'does' : 'do'} not claim it.`,
  whyAlso: (n: number) => `And ${counted(n, 'format')} that ${n === 1 ? 'does' : 'do'} not claim it.`,
  whyRule: 'The best score above 0.5 wins.',
  whyEscrow: (app: string) => `Kept for the way back to ${app}`,
  whyEscrowNote: 'No other app shares these; bunzai keeps them and other apps do not see them.',
  portrait: (name: string) => `Portrait of ${name}`,
  portraitFull: (name: string) => `Show the portrait of ${name} in full`,
  close: 'Close',
  by: (creator: string) => `by ${creator}`,
  moreTags: (n: number) => `and ${count(n)} more`,
  convertTo: 'Convert to',
  sameApp: 'same app',
  fileType: 'File type',
  version: 'Version',
  checking: 'checking',
  cannot: 'cannot',
  drops: 'drops content',
  happens: 'What happens',
  happensForced: 'What happens if you save anyway',
  intact: (app: string) => `Everything in this file has a place in ${app}.`,
  nothingElse: 'Nothing else changes.',
  field: 'Field',
  before: 'Before',
  after: 'After',
  values: (n: number) => counted(n, 'value'),
  nothing: 'nothing',
  emptyText: 'empty',
  showCarried: (n: number) => `Show what is carried (${count(n)})`,
  hideCarried: 'Hide what is carried',
  wholeText: 'Show the whole text',
  wholeName: 'Show the whole name',
  lessText: 'Show less',
  more: (n: number) => `Show ${count(n)} more`,
  removed: 'removed:',
  added: 'added:',
  save: 'Save',
  saveLosing: (n: number) => `Save, losing ${counted(n, 'thing')}`,
  saveAnyway: 'Save anyway',
  saveAnywayLosing: (n: number) => `Save anyway, losing ${counted(n, 'thing')}`,
  writing: 'Writing',
  share: 'Share',
  dragOut: (name: string) => `${name}: drag it out to a folder`,
  saved: (name: string, size: string) => `Saved ${name}, ${size}.`,
  savedShort: 'Saved',
  largeLimits: 'Open with large limits',
  password: 'Password of the card',
  unlock: 'Open',
  passwordNote: 'It stays in this tab and is forgotten with the file.',
  openedLarge: 'Opened with large limits.',
  where: 'Where',
  tryAgain: 'Try again',
  inside: 'Inside',
  texts: 'Texts',
  greetings: 'Greetings',
  lorebook: 'Lorebook',
  pictures: 'Pictures',
  scripts: 'Scripts',
  greetingOf: (i: number, n: number) => `${count(i)} of ${count(n)}`,
  previous: 'Previous greeting',
  next: 'Next greeting',
  group: 'for groups',
  findEntry: 'Find in the lorebook',
  entriesFound: (n: number, all: number) => (n === all ? counted(all, 'entry', 'entries') : `${count(n)} of ${counted(all, 'entry', 'entries')}`),
  entry: 'Entry',
  keys: 'Keys',
  content: 'Content',
  place: 'Place',
  off: 'off',
  constant: 'always on',
  noKeys: 'no keys',
  secondKeys: 'and one of',
  order: 'order',
  outside: 'A link outside the file. bunzai never fetches it.',
  noPreview: 'No preview for this type',
  scriptsNote: (names: readonly string[]) => `This file carries scripts (${names.map(plain).join(', ')}). bunzai never runs them.`,
  scriptsMany: (n: number) => `This file carries scripts (${count(n)}). bunzai never runs them.`,
  noneInside: 'There is nothing more to show for this file.',
  read: (name: string, what: string) => `${name} read: ${what}.`,
  failed: (name: string, title: string) => `${name}: ${title}.`,
  selected: (app: string, text: string) => `${app}: ${text}.`,
  skipped: (n: number) => `${counted(n, 'file')} in the folder were too many and were left out.`,
  pastedName: 'pasted.json',
  sampleFailed: 'The sample card could not be loaded',
} as const;
