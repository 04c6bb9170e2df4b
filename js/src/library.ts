import { ask, call } from './api.js';
import type { Executor } from './engines.js';
import { badArgument } from './errors.js';
import type { Conversion, Library, LibraryEntry, LibraryInspection, LibraryOptions, PieceRef, SavedBundle } from './types.js';

/** Opens a library whose work is done by `run`. */
export async function openLibrary(run: Executor, options?: LibraryOptions): Promise<Library> {
  let library = 'bunzai';
  await ask<null>(run, 'libraryOpen', options, ({ name = library }) => {
    if (typeof name !== 'string' || name === '') throw badArgument('the option "name" must be a text that is not empty');
    library = name;
    return { library };
  });
  return {
    name: library,
    import: (input, o) => call(run, 'libraryImport', input, o, (from, { engine, job }) => run.run('libraryImport', from, { ...engine, library }, job) as Promise<SavedBundle[]>),
    list: (o) => ask<LibraryEntry[]>(run, 'libraryList', o, (engine) => ({ ...engine, library })),
    show: (piece, o) => ask<LibraryInspection>(run, 'libraryShow', o, (engine) => ({ ...engine, library, ...refOf(piece) })),
    export: ((piece: PieceRef, o: unknown) => ask<Conversion>(run, 'libraryExport', o, (engine) => ({ ...engine, library, ...refOf(piece) }))) as Library['export'],
    attach: (piece, linked, o) => ask<PieceRef[]>(run, 'libraryAttach', o, (engine) => ({ ...engine, library, ...refOf(piece), ...linkedOf(linked) })),
    detach: (piece, linked, o) => ask<PieceRef[]>(run, 'libraryDetach', o, (engine) => ({ ...engine, library, ...refOf(piece), ...linkedOf(linked) })),
    delete: async (piece, o) => { await ask<null>(run, 'libraryDelete', o, () => ({ library, ...refOf(piece) })); },
  };
}

function refOf(piece: PieceRef): { kind: string; id: string } {
  if (typeof piece !== 'object' || piece === null) throw badArgument('a piece is named by an object with its kind and id');
  return { kind: piece.kind, id: piece.id };
}

function linkedOf(piece: PieceRef): { linkedKind: string; linkedId: string } {
  const { kind, id } = refOf(piece);
  return { linkedKind: kind, linkedId: id };
}
