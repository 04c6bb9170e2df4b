// Types of everything that bunzai takes and returns. All values are plain objects, lists, text, numbers
// and bytes; nothing here refers to the engine's memory, so a result stays valid after later calls.

/** An opened file of Node, as `fs.promises.open` gives it. It is read by offset and stays open. */
export interface NodeFileHandle {
  readonly fd: number;
  read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
  stat(): Promise<{ readonly size: number | bigint; isFile(): boolean; isDirectory(): boolean }>;
}

/**
 * What a file can be given as. A Blob, a File, and in Node a path (text or a `file:` URL) or a FileHandle, are read by
 * offset and never loaded whole. A Response or a stream is read to its end first, within the limits. Bytes must not be
 * changed before the call settles.
 */
export type Input =
  | Uint8Array | ArrayBuffer | Blob | Response | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>
  | string | URL | NodeFileHandle;

export type Kind = 'character' | 'lorebook' | 'regex' | 'persona' | 'preset' | 'quickreply';
export type Container = 'png' | 'json' | 'charx' | 'jpeg' | 'risum' | 'risup' | 'risupreset' | 'yaml';
export type LimitsProfile = 'card' | 'large' | 'edge';

/** Classes of failure; programs switch on it, people read `message`. */
export type ErrorCode =
  | 'empty' | 'not-recognized' | 'no-card' | 'unsupported' | 'damaged' | 'ambiguous' | 'password' | 'limit' | 'wrong-kind'
  | 'unknown-target' | 'would-lose' | 'no-piece' | 'bad-argument' | 'cancelled' | 'internal';

export interface LimitHit {
  /** Field name of the limit, e.g. `ArchiveEntries`. */
  name: string;
  value: number;
  /** What the file has; 0 when counting stopped at the bound. */
  found: number;
  unit: string;
  /** What raises it, e.g. `open it with large limits`; empty when nothing does. */
  raise: string;
}

/** Why a call failed, as plain data: in JSON, and as the Go module rejects. */
export interface Failure {
  code: ErrorCode;
  /** What is wrong and what to do, for people. */
  message: string;
  /** Where in the file: a chunk, a ZIP entry, a JSON path; may be empty. */
  where: string;
  limit: LimitHit | null;
}

/** Failures of one code; only `limit` has a limit. */
export interface FailureOf<C extends ErrorCode> {
  readonly code: C;
  readonly message: string;
  readonly where: string;
  readonly limit: C extends 'limit' ? LimitHit : null;
}

/** How far a call is. Inside one stage `done` never goes down; stages come in this order, and each may be missing. */
export interface Progress {
  /** `load`: the engine starts (once). `read`: bytes taken from the input. `write`: bytes of the result. */
  stage: 'load' | 'read' | 'write';
  done: number;
  /** null where nobody knows, as for a stream. */
  total: number | null;
}

/** What every call takes. */
export interface CallOptions {
  /** Ends the call with the error code `cancelled`. */
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

export interface CommonOptions extends CallOptions {
  /** File name, used in messages and to name the output; it never decides the format. Default: the input's own. */
  name?: string;
  /** Bounds on what a file may cost. Default `card`; `edge` in Cloudflare Workers. */
  limits?: LimitsProfile;
  /**
   * Opens a card that Risu encrypted with a password, and locks it again where it stays encrypted. Without the right one
   * the call rejects with the code `password`. It is never shown or kept.
   */
  password?: string;
}

export interface InspectOptions extends CommonOptions {
  /** Give the pictures their bytes. Default: for a Blob input, whose ranges they share. */
  assets?: boolean;
}

export type OutputForm = 'bytes' | 'blob' | 'stream';

export interface ConvertOptions extends CommonOptions {
  /** The app: `sillytavern`, `lumiverse`, `bunzai`, ... The codec follows from the kind of the file. */
  to: string;
  /** Default: the source's container where the app writes it, else the app's usual one. */
  container?: Container;
  /** Card version where the app has several: `v2`, `v3`. */
  spec?: string;
  /** Write even where archive content would be dropped. */
  allowLoss?: boolean;
  /** Do all of the work but return no data: for showing the report first. */
  dryRun?: boolean;
  /**
   * Form of the result. Default: `blob` for a Blob input, `bytes` otherwise. A blob shares ranges of a Blob input; a
   * stream reads the input as it is read itself, so a file stays as it is until the stream ends or is cancelled.
   */
  output?: OutputForm;
}

export interface FormatInfo {
  id: string;
  app: string;
  appLabel: string;
  kind: Kind;
  label: string;
  /** What it writes, the default for a new file first. */
  containers: Container[];
  specs: string[];
  /** The field map: which canonical paths have a place in the app's files. */
  fields: FieldInfo[];
}

export interface FieldInfo {
  path: string;
  wire: string;
  /** false: kept in the file where the app ignores it. */
  reads: boolean;
  note: string;
}

export interface Bid {
  id: string;
  label: string;
  score: number;
  reason: string;
}

export interface Detection {
  /** null when no format claims the file. */
  format: { id: string; app: string; appLabel: string; kind: Kind; label: string } | null;
  /** The file's outer shape: `png`, `zip`, `json`, `jpeg`, `text`, ... and in words. */
  file: { kind: string; label: string; size: number };
  /** Every format's bid, best first. */
  bids: Bid[];
}

/** One text of a piece, for showing: the field in words, where it lives in the app's file, and the text. */
export interface TextView {
  /** Canonical path, e.g. `greetings.firstMessage`. */
  path: string;
  /** In words: `First message`. */
  label: string;
  /** In the source app's words: `data.first_mes`. */
  wire: string;
  text: string;
}

export interface EntryView {
  title: string;
  keys: string[];
  secondaryKeys: string[];
  content: string;
  enabled: boolean;
  constant: boolean;
  position: string;
  order: number | null;
}

export interface AssetView {
  role: string;
  name: string;
  mime: string;
  /** Bytes; -1 when not known. */
  size: number;
  /** A link outside the file, never fetched by bunzai; empty when the bytes are inside. */
  link: string;
  /** The bytes: a Blob that shares ranges of the input where possible; null when outside, or when the input was bytes and `assets` was not asked for. */
  data: Blob | null;
}

export interface PieceView {
  kind: Kind;
  id: string;
  name: string;
  /** Version as found: `v1`, `flat`, `v2`, `v3`, or empty. */
  variant: string;
  container: Container | '';
  creator: string;
  tags: string[];
  texts: TextView[];
  greetings: { title: string; text: string; group: boolean }[];
  entries: EntryView[];
  assets: AssetView[];
  /** What is code in the piece, in words, and its regex scripts by name: also what stands only in a module inside the file. Data; never run. */
  scripts: string[];
}

export interface Inspection extends Detection {
  /** The main piece first, then what it carries (its lorebooks). */
  pieces: PieceView[];
  portrait: AssetView | null;
  /** Odd but readable things, in plain words. */
  warnings: string[];
  /** Wire paths with content that no other app shares; kept for the way back to the same app. */
  escrow: string[];
  /** Apps that take this kind, with the containers that each can write. */
  targets: { app: string; appLabel: string; containers: Container[]; specs: string[]; same: boolean }[];
}

export type Verdict = 'carried' | 'parked' | 'changed' | 'lost';

export interface ReportItem {
  verdict: Verdict;
  /** Piece: 0 is the main piece, 1.. its lorebooks. */
  piece: number;
  /** Canonical path, e.g. `entries[3].position`; for content without canonical home `original.<format>.<wire path>`. */
  path: string;
  /** In words: `Lorebook entry 4 "Clock": position`. */
  label: string;
  /** Where the target keeps it, in its words; empty when nowhere. */
  wire: string;
  /** How many values the line stands for: carried and parked list elements share one line. */
  count: number;
  /** Value as text before and after, cut at 2,000 characters; null = nothing there. */
  before: string | null;
  after: string | null;
  /** In plain words; empty for what is simply carried. */
  reason: string;
}

/** One side of a conversion. */
export interface ReportEnd {
  id: string;
  app: string;
  appLabel: string;
  container: Container | '';
  /** Of the source: the card version as found. Empty on the target's side, and where the app has one only. */
  variant: string;
  /** Of the target: the card version as written. Empty on the source's side, and where the app has one only. */
  spec: string;
}

export interface Report {
  from: ReportEnd;
  to: ReportEnd & { container: Container };
  counts: Record<Verdict, number>;
  /** Lost first, then changed, parked, carried; inside each in the order of the model. */
  items: ReportItem[];
  warnings: string[];
}

export type ConversionData = Uint8Array | Blob | ReadableStream<Uint8Array> | null;

export interface Conversion<Data extends ConversionData = Uint8Array | Blob | null> {
  /** null with `dryRun`. */
  data: Data;
  size: number;
  fileName: string;
  mediaType: string;
  container: Container;
  report: Report;
}

/** `convert`: the form of `data` follows from the options and the input. */
export interface Convert {
  (input: Input, options: ConvertOptions & { dryRun: true }): Promise<Conversion<null>>;
  (input: Input, options: ConvertOptions & { output: 'bytes'; dryRun?: false }): Promise<Conversion<Uint8Array>>;
  (input: Input, options: ConvertOptions & { output: 'blob'; dryRun?: false }): Promise<Conversion<Blob>>;
  (input: Input, options: ConvertOptions & { output: 'stream'; dryRun?: false }): Promise<Conversion<ReadableStream<Uint8Array>>>;
  (input: Blob, options: ConvertOptions & { output?: never; dryRun?: false }): Promise<Conversion<Blob>>;
  (input: Exclude<Input, Blob>, options: ConvertOptions & { output?: never; dryRun?: false }): Promise<Conversion<Uint8Array>>;
  (input: Input, options: ConvertOptions): Promise<Conversion<ConversionData>>;
}

/** A piece by its kind and id. */
export interface PieceRef {
  kind: Kind;
  id: string;
}

/** A piece as a library lists it. */
export interface LibraryEntry extends PieceRef {
  /** Display name; may be empty. */
  name: string;
  /** Bytes of its canonical file. */
  size: number;
}

/** A piece as it was saved. */
export interface SavedPiece extends LibraryEntry {
  /** The id that it came with; `id` differs when that was taken. */
  asked: string;
  /** `created`: new. `shared`: not written, the library holds the very same piece. `replaced`: with `overwrite`. */
  how: 'created' | 'shared' | 'replaced';
}

/** What became of one file's main piece and of what it carries. */
export interface SavedBundle {
  primary: SavedPiece;
  related: SavedPiece[];
  /** The links of the main piece as they are saved. */
  links: PieceRef[];
  partial: false;
}

/** A link of a kept piece. */
export interface LibraryLink extends PieceRef {
  /** Canonical path, e.g. `knowledgeRefs`. */
  field: string;
  /** Files carry the linked piece inside, so that its absence refuses an export (`no-piece`). */
  embedded: boolean;
  /** The library has it. */
  found: boolean;
}

export interface LibraryInspection extends Inspection {
  links: LibraryLink[];
}

/** What every call of a library takes. */
export interface LibraryCallOptions extends CallOptions {
  /** Bounds on what a piece may cost. Default `card`. */
  limits?: LimitsProfile;
}

export interface LibraryImportOptions extends LibraryCallOptions {
  /** File name, for messages and for a piece without a name. Default: the input's own. */
  name?: string;
  /** Put each piece under its own id, in place of what is there. */
  overwrite?: boolean;
  /** Opens a card that Risu encrypted with a password. */
  password?: string;
}

export interface LibraryListOptions extends CallOptions {
  /** Only this kind. */
  kind?: Kind;
}

export interface LibraryShowOptions extends LibraryCallOptions {
  /** Give the pictures their bytes. */
  assets?: boolean;
}

export interface LibraryExportOptions extends LibraryCallOptions, Pick<ConvertOptions, 'name' | 'password' | 'to' | 'container' | 'spec' | 'allowLoss' | 'dryRun'> {
  /** Form of the result. Default: `blob`. */
  output?: 'bytes' | 'blob';
}

export interface LibraryAttachOptions extends LibraryCallOptions {
  /** Place in the order of the links, from 0. Default: the end. */
  at?: number;
}

export interface LibraryOptions extends CallOptions {
  /** The database. Default: `bunzai`. Each web origin has databases of its own. */
  name?: string;
}

/**
 * Pieces that the browser keeps in its database (IndexedDB), on this device only. A card and the lorebook and regex
 * scripts in it are pieces of their own, linked by id; an export puts them together again.
 */
export interface Library {
  readonly name: string;
  /**
   * Puts a file in: one result for its main piece, and one for each further piece of its kind. Nothing is replaced: a
   * piece whose id is taken gets the next one (`sera-2`) and links follow; the very same piece is shared.
   */
  import(input: Input, options?: LibraryImportOptions): Promise<SavedBundle[]>;
  /** Lorebooks, regex sets, quick replies, personas, presets, characters; by id inside each kind. */
  list(options?: LibraryListOptions): Promise<LibraryEntry[]>;
  show(piece: PieceRef, options?: LibraryShowOptions): Promise<LibraryInspection>;
  /** Writes a piece as an app's file. Rejects with `no-piece`, naming every one, where a linked lorebook is missing. */
  export(piece: PieceRef, options: LibraryExportOptions & { dryRun: true }): Promise<Conversion<null>>;
  export(piece: PieceRef, options: LibraryExportOptions & { output: 'bytes'; dryRun?: false }): Promise<Conversion<Uint8Array>>;
  export(piece: PieceRef, options: LibraryExportOptions & { output?: 'blob'; dryRun?: false }): Promise<Conversion<Blob>>;
  export(piece: PieceRef, options: LibraryExportOptions): Promise<Conversion>;
  /** Links a piece to a lorebook, regex set or quick reply set, or moves it in the order. Resolves to all links. */
  attach(piece: PieceRef, linked: PieceRef, options?: LibraryAttachOptions): Promise<PieceRef[]>;
  /** Takes a link out; the linked piece stays. Resolves to the links that are left. */
  detach(piece: PieceRef, linked: PieceRef, options?: LibraryCallOptions): Promise<PieceRef[]>;
  delete(piece: PieceRef, options?: CallOptions): Promise<void>;
}

/** The calls, as the package exports them and as a pool has them. */
export interface Bunzai {
  /** Says what a file is, and every format's bid on it. */
  detect(input: Input, options?: CommonOptions): Promise<Detection>;
  /** Reads a file for showing: its pieces, texts, entries, pictures, and the apps it can go to. */
  inspect(input: Input, options?: InspectOptions): Promise<Inspection>;
  /** Converts a file for another app, or for its own, with a report of what became of every part. */
  convert: Convert;
  /** Lists the formats, what each writes, and its field map. */
  formats(options?: CallOptions): Promise<FormatInfo[]>;
  /** Opens the library of this browser, or makes it. Rejects with `unsupported` where there is no IndexedDB. */
  openLibrary(options?: LibraryOptions): Promise<Library>;
}

/** The Go module as it registers itself. The package's own calls (`Bunzai`) take more kinds of input. */
export interface Engine {
  version: string;
  detect(input: EngineInput, options?: CommonOptions): Promise<Detection>;
  inspect(input: EngineInput, options?: CommonOptions & { assets?: boolean }): Promise<Inspection>;
  convert(input: EngineInput, options: ConvertOptions): Promise<Conversion>;
  formats(): Promise<FormatInfo[]>;
}

/** What the Go module itself reads. */
export type EngineInput = Uint8Array | ArrayBuffer | Blob;

/** Something read by offset; the Go module takes it, too. */
export interface Ranged {
  readonly size: number;
  /** The bytes from `offset`, exactly `length` of them. */
  read(offset: number, length: number): Uint8Array | Promise<Uint8Array>;
  /** A part for the Blob constructor, where there is one. */
  slice?(from: number, to: number): Blob;
}
