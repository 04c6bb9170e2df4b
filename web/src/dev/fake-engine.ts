// A stand-in for the Go engine, for development and page tests only (`--mode fake`); never in the production bundle.
// It reads V2 cards from PNG and JSON, makes believable reports, and misbehaves on request of the file's name:
// slow-, crash-, hang-, limit-, huge-, lossy-, locked-, unknown-, heavy-.
import type { AssetView, CommonOptions, Conversion, ConvertOptions, Detection, Engine, FormatInfo, Input, Inspection, PieceView, ReportItem, Verdict } from '../../../js/src/types.ts';
import { failure } from '../failure.ts';

const apps: FormatInfo[] = [
  { id: 'lumiverse', app: 'lumiverse', appLabel: 'Lumiverse', kind: 'character', label: 'Lumiverse character', containers: ['charx', 'png', 'json'], specs: [], fields: [] },
  { id: 'sillytavern', app: 'sillytavern', appLabel: 'SillyTavern', kind: 'character', label: 'SillyTavern character card', containers: ['png', 'json'], specs: ['v2', 'v3'], fields: [] },
  { id: 'sillytavern-lorebook', app: 'sillytavern', appLabel: 'SillyTavern', kind: 'lorebook', label: 'SillyTavern World Info', containers: ['json'], specs: [], fields: [] },
  { id: 'bunzai-character', app: 'bunzai', appLabel: 'bunzai', kind: 'character', label: 'bunzai canonical file', containers: ['json'], specs: [], fields: [] },
];

interface Card {
  spec?: string;
  data?: Record<string, unknown>;
}
interface Read {
  card: Card;
  container: 'png' | 'json';
  blob: Blob;
}

const str = (v: unknown) => (typeof v === 'string' ? v : '');
const list = (v: unknown): string[] => (Array.isArray(v) ? v.map(String) : []);
const wait = (ms: number) => new Promise((r) => setTimeout(r, ms));

async function read(input: Input, o: CommonOptions = {}): Promise<Read> {
  const blob = input instanceof Blob ? input : new Blob([input as BlobPart]);
  const name = o.name ?? '';
  if (name.startsWith('slow-')) await wait(1500);
  if (name.startsWith('hang-')) await wait(600_000);
  if (name.startsWith('crash-')) {
    end();
    await wait(600_000);
  }
  if (name.startsWith('limit-') && o.limits !== 'large') {
    throw {
      ...failure('limit', 'the limit ArchiveEntries is 512 entries, and this file has 2,114 entries; open it with large limits', 'ZIP end record'),
      limit: { name: 'ArchiveEntries', value: 512, found: 2114, unit: 'entries', raise: 'open it with large limits' },
    };
  }
  if (name.startsWith('huge-')) {
    const [found, value, raise] = o.limits === 'large' ? [40_000, 20_000, ''] : [40_000, 512, 'open it with large limits'];
    throw { ...failure('limit', 'too many entries', 'ZIP end record'), limit: { name: 'ArchiveEntries', value, found, unit: 'entries', raise } };
  }
  if (name.startsWith('locked-') && o.password !== 'sesame') {
    throw failure('password', o.password ? 'the password does not open this encrypted card' : 'this card is encrypted by Risu with a password; give the password to open it', 'chunk chara');
  }
  if (name.startsWith('unknown-')) throw failure('not-recognized', 'this is a Pygmalion character, which this version of bunzai does not read yet');
  if (blob.size === 0) throw failure('empty', 'the file is empty');
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const container = bytes[0] === 0x89 ? 'png' : 'json';
  const json = container === 'png' ? chara(bytes) : new TextDecoder().decode(bytes);
  let card: Card;
  try {
    card = JSON.parse(json) as Card;
  } catch (e) {
    throw failure('damaged', `the JSON ends before it should: ${e instanceof Error ? e.message : ''}`, container === 'png' ? 'chunk tEXt chara' : 'byte 0');
  }
  if (!card.data?.['name']) throw failure('not-recognized', 'no format claims this file: it is sound JSON, but not a card, lorebook or any other kind that bunzai reads');
  return { card, container, blob };
}

function chara(b: Uint8Array): string {
  const view = new DataView(b.buffer, b.byteOffset);
  for (let at = 8; at + 8 < b.length; ) {
    const size = view.getUint32(at);
    const type = String.fromCharCode(...b.subarray(at + 4, at + 8));
    const body = b.subarray(at + 8, at + 8 + size);
    const nul = body.indexOf(0);
    if (type === 'tEXt' && new TextDecoder('latin1').decode(body.subarray(0, nul)).toLowerCase() === 'chara') {
      const raw = atob(new TextDecoder('latin1').decode(body.subarray(nul + 1)));
      return new TextDecoder().decode(Uint8Array.from(raw, (c) => c.charCodeAt(0)));
    }
    at += 12 + size;
  }
  throw failure('no-card', 'this PNG is a picture without a card: it has no chunk named chara or ccv3. If the card came from a website, download the original file and not the preview picture', '3 chunks read');
}

function detection(r: Read): Detection {
  const spec = r.card.spec === 'chara_card_v3' ? 'V3' : 'V2';
  return {
    format: { id: 'sillytavern', app: 'sillytavern', appLabel: 'SillyTavern', kind: 'character', label: 'SillyTavern character card' },
    file: { kind: r.container, label: r.container === 'png' ? 'PNG picture, 400 x 600, 1 card chunk' : 'JSON document', size: r.blob.size },
    bids: [
      { id: 'sillytavern', label: 'SillyTavern character card', score: 0.9, reason: `chunk chara holds a ${spec} card` },
      { id: 'lumiverse', label: 'Lumiverse character', score: 0.4, reason: 'a card, but without the Lumiverse fingerprint' },
      { id: 'bunzai-character', label: 'bunzai canonical file', score: 0, reason: 'no schemaVersion' },
      { id: 'sillytavern-lorebook', label: 'SillyTavern World Info', score: 0, reason: 'no entries at the root' },
    ],
  };
}

const fields: [string, string, string][] = [
  ['identity.description', 'Description', 'description'],
  ['identity.personality', 'Personality', 'personality'],
  ['identity.scenario', 'Scenario', 'scenario'],
  ['greetings.firstMessage', 'First message', 'first_mes'],
  ['prompts.examples', 'Example dialogue', 'mes_example'],
  ['prompts.system', 'System prompt', 'system_prompt'],
  ['prompts.postHistory', 'Post-history instructions', 'post_history_instructions'],
  ['meta.creatorNotes', "Creator's notes", 'creator_notes'],
];

function pieces(r: Read): PieceView[] {
  const d = r.card.data ?? {};
  const none = { creator: '', tags: [], texts: [], greetings: [], entries: [], assets: [], scripts: [] };
  const portrait: AssetView[] = r.container === 'png' ? [{ role: 'portrait', name: 'main', mime: 'image/png', size: r.blob.size, link: '', data: r.blob }] : [];
  const main: PieceView = {
    ...none, kind: 'character', id: 'c', name: str(d['name']), variant: r.card.spec === 'chara_card_v3' ? 'v3' : 'v2', container: r.container, creator: str(d['creator']), tags: list(d['tags']),
    texts: fields.map(([path, label, wire]) => ({ path, label, wire: `data.${wire}`, text: str(d[wire]) })).filter((t) => t.text),
    greetings: [{ title: 'First message', text: str(d['first_mes']), group: false }, ...list(d['alternate_greetings']).map((text, i) => ({ title: `Alternate ${i + 1}`, text, group: false }))],
    assets: portrait, scripts: list(d['scripts']),
  };
  const book = d['character_book'] as { name?: string; entries?: Record<string, unknown>[] } | undefined;
  if (!book?.entries) return [main];
  const entries = book.entries.map((e) => ({
    title: str(e['comment']) || str(e['name']), keys: list(e['keys']), secondaryKeys: list(e['secondary_keys']), content: str(e['content']),
    enabled: e['enabled'] !== false, constant: e['constant'] === true, position: str(e['position']), order: Number(e['insertion_order'] ?? 0),
  }));
  return [main, { ...none, kind: 'lorebook', id: 'b', name: book.name ?? '', variant: '', container: '', entries }];
}

function items(r: Read, to: string): ReportItem[] {
  const out: ReportItem[] = [];
  const add = (verdict: Verdict, path: string, label: string, wire: string, before: string | null, after: string | null, reason = '') => out.push({ verdict, piece: 0, count: 1, path, label, wire, before, after, reason });
  const all = pieces(r);
  const main = all[0]!;
  if (to === 'lumiverse') {
    add('lost', 'original.sillytavern.data.extensions.talkativeness', 'Talkativeness', '', '0.5', null, 'Lumiverse has no setting for how often a character speaks in groups.');
    const first = main.greetings[0]?.text ?? '';
    add('changed', 'greetings.firstMessage', 'First message', 'data.first_mes', first, first.replaceAll('*', '_').replace('Mind the step', 'Mind the doorstep'), 'Lumiverse writes actions with underscores.');
    add('changed', 'identity.version', 'Character version', 'data.character_version', '1.0', '1', 'Lumiverse keeps versions as whole numbers.');
    add('parked', 'prompts.depth', 'Note at depth 4', 'data.extensions.depth_prompt', 'It is still raining.', 'It is still raining.', 'Stays in the file; Lumiverse does not read it.');
  }
  for (const t of main.texts) add('carried', t.path, t.label, t.wire, t.text, t.text);
  all[1]?.entries.forEach((e, i) => add('carried', `entries[${i}]`, `Lorebook entry ${i + 1} "${e.title}"`, `entries[${i}]`, e.content, e.content));
  return out;
}

let end: () => void = () => {};
let held = 1 << 20;

const engine: Engine = {
  version: '0.0.0-fake',
  async detect(input, options) {
    if (options?.name?.startsWith('unknown-')) {
      const d = detection({ card: {}, container: 'json', blob: input as Blob });
      return { ...d, format: null, bids: d.bids.slice(1) };
    }
    return detection(await read(input, options));
  },
  async inspect(input, options): Promise<Inspection> {
    const r = await read(input, options);
    const all = pieces(r);
    return {
      ...detection(r), pieces: all, portrait: all[0]?.assets[0] ?? null, warnings: options?.name?.includes('warn') ? ['The picture has 12 bytes after its end; they are kept.'] : [],
      escrow: ['data.extensions.fav', 'data.extensions.talkativeness'],
      targets: apps.filter((a) => a.kind === 'character').map((a) => ({ app: a.app, appLabel: a.appLabel, containers: a.containers, specs: a.specs, same: a.app === 'sillytavern' })),
    };
  },
  async convert(input, options: ConvertOptions): Promise<Conversion> {
    const r = await read(input, options);
    const app = apps.find((a) => a.app === options.to && a.kind === 'character');
    if (!app) throw failure('unknown-target', `there is no app "${options.to}"`);
    if (options.name?.startsWith('lossy-') && options.to === 'bunzai' && !options.allowLoss) {
      throw failure('would-lose', 'the JSON file has no place for 12 pictures that this card holds', 'assets/');
    }
    if (options.name?.startsWith('heavy-') && !options.dryRun) held = 600 << 20;
    const container = options.container ?? (app.containers.includes(r.container) ? r.container : app.containers[0]!);
    const text = JSON.stringify(r.card);
    const blob = container === 'png' && r.container === 'png' ? new Blob([r.blob], { type: 'image/png' }) : new Blob([text], { type: 'application/json' });
    const found = items(r, app.app);
    const counts: Record<Verdict, number> = { carried: 0, parked: 0, changed: 0, lost: 0 };
    for (const i of found) counts[i.verdict]++;
    return {
      data: options.dryRun ? null : options.output === 'blob' || input instanceof Blob ? blob : new Uint8Array(await blob.arrayBuffer()),
      size: blob.size, fileName: `${str(r.card.data?.['name'])}.${container}`, mediaType: blob.type, container,
      report: {
        from: { id: 'sillytavern', app: 'sillytavern', appLabel: 'SillyTavern', container: r.container, variant: 'v2', spec: '' },
        to: { id: app.id, app: app.app, appLabel: app.appLabel, container, variant: '', spec: options.spec ?? app.specs[0] ?? '' },
        counts, items: found, warnings: [],
      },
    };
  },
  formats: async () => apps,
};

export async function start(_url: string, _module: WebAssembly.Module | null) {
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { engine, ended, memory: () => held, module: null };
}

export interface Started {
  engine: Engine;
  ended: Promise<void>;
  memory: () => number;
  module: WebAssembly.Module | null;
}
