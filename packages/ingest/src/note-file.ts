import { createHash } from 'node:crypto';
import { storableText } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { recordEvent, recordEvents } from '@sheaf/events';
import type { IngestRoute, LedgerState } from '@sheaf/vocabulary/documents';
import type { SheafEvent } from '@sheaf/vocabulary/events';
import { extensionOf } from '@sheaf/vocabulary/file-kinds';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';
import { recordLedger, recordSourceLedger } from './queries/ingest-ledger.ts';

/** A file as it was seen on a route. */
export interface SeenFile {
  readonly route: IngestRoute;
  readonly filename: string;
  /** As `toLedgerPath` gives it. */
  readonly ledgerPath: string;
  readonly ownerId?: string | undefined;
  readonly sourceId?: string | undefined;
  readonly sizeBytes?: number | undefined;
  readonly modifiedAt?: Date | undefined;
  readonly sha256?: string | undefined;
}

/** What became of it. */
export interface LedgerOutcome {
  readonly state: LedgerState;
  /** None for a file that went well. */
  readonly reason?: LedgerReason | undefined;
  readonly documentId?: string | undefined;
}

/** An entry of a PostgreSQL index is at most 2,704 bytes; a path on Linux may have 4,095. */
const MAX_LEDGER_PATH_BYTES = 2_000;

/** The name of a file in the ledger: its path as it is, letter by letter; only what is too long ends in its hash. */
export const toLedgerPath = (path: string): string => {
  const text = storableText(path);
  if (Buffer.byteLength(text) <= MAX_LEDGER_PATH_BYTES) return text;
  return `${text.slice(0, MAX_LEDGER_PATH_BYTES / 4).toWellFormed()}…${createHash('sha256').update(text).digest('hex')}`;
};

/** Writes the ledger's row and the event that goes with it. Takes the transaction in which the outcome becomes true. */
export const noteFile = async (tx: Db, file: SeenFile, outcome: LedgerOutcome): Promise<void> => {
  await rewriteNote(tx, file, outcome);
  await recordEvent(tx, ingestEvent(file, outcome), file.ownerId ?? null);
};

/** What is reported of a file that was seen on a route. */
export const ingestEvent = ({ route, filename }: Pick<SeenFile, 'route' | 'filename'>, { state, reason }: LedgerOutcome): SheafEvent => ({
  type: 'ingest',
  route,
  filename: cleanFilename(filename),
  state,
  reason: reason?.message ?? null,
});

/** The same for many files of one source, each path once. */
export const noteSourceFiles = async (
  tx: Db,
  many: readonly { readonly file: SeenFile & { readonly sourceId: string }; readonly outcome: LedgerOutcome }[],
): Promise<void> => {
  await recordSourceLedger(
    tx,
    many.map(({ file, outcome }) => ({ ...file, path: file.ledgerPath, ...outcome })),
  );
  await recordEvents(
    tx,
    many.map(({ file, outcome }) => ({ event: ingestEvent(file, outcome), ownerId: file.ownerId ?? null })),
  );
};

/** Writes the row alone: nothing new happened to the file. */
export const rewriteNote = (tx: Db, file: SeenFile, outcome: LedgerOutcome): Promise<void> =>
  recordLedger(tx, {
    route: file.route,
    path: file.ledgerPath,
    ownerId: file.ownerId,
    sourceId: file.sourceId,
    sizeBytes: file.sizeBytes,
    modifiedAt: file.modifiedAt,
    sha256: file.sha256,
    ...outcome,
  });

/** What file systems and PostgreSQL's indexes bear, in bytes of UTF-8. */
const MAX_FILENAME_BYTES = 255;
const MAX_TITLE_CHARACTERS = 1_000;

/** Signs that turn the direction of what follows, by which a name can look as if it had another extension. */
const DIRECTION_OVERRIDES = /[\u202a-\u202e\u2066-\u2069]/g;

const plainDirection = (text: string): string => text.replaceAll(DIRECTION_OVERRIDES, '');

/** Storable, and as two spellings of one name compare. */
const normalise = (text: string): string => storableText(text).normalize('NFC');

/**
 * The name a file is known by: without its path, otherwise as its sender sees it, so with newlines, emoji and letters of any
 * direction. It is shown and searched, and never used as a path.
 */
export const cleanFilename = (name: string): string => {
  const base = normalise(name).split(/[/\\]/).at(-1) ?? '';
  if (base === '' || base === '.' || base === '..') return 'unnamed';
  return shorten(base, MAX_FILENAME_BYTES);
};

/** The name of a PDF that is the part number `place` of a file, from 1; that of the first differs in its extension at most. */
export const partFilename = (filename: string, place: number): string => {
  const extension = extensionOf(filename);
  const stem = extension === '' ? filename : filename.slice(0, -extension.length - 1);
  const suffix = place === 1 ? '' : ` (${place})`;
  const name = shorten(`${stem}.pdf`, MAX_FILENAME_BYTES - suffix.length);
  return `${name.slice(0, -'.pdf'.length)}${suffix}.pdf`;
};

/** The title of the part number `place` of a document. */
export const partTitle = (title: string, place: number): string => {
  const suffix = ` (${place})`;
  return `${title.slice(0, MAX_TITLE_CHARACTERS - suffix.length).toWellFormed()}${suffix}`;
};

/** Cuts the stem and keeps the extension, which says what the file is. */
const shorten = (name: string, maxBytes: number): string => {
  if (Buffer.byteLength(name) <= maxBytes) return name;
  const extension = extensionOf(name);
  const dotted = extension === '' || extension.length > 16 ? '' : name.slice(-extension.length - 1);
  let stem = '';
  let room = maxBytes - Buffer.byteLength(dotted);
  for (const character of name.slice(0, name.length - dotted.length)) {
    room -= Buffer.byteLength(character);
    if (room < 0) break;
    stem += character;
  }
  return stem + dotted;
};

/** The wished title, or the file name without its extension; without signs that hide what it says. */
export const titleFor = (wanted: string | undefined, filename: string): string => {
  const title = plainDirection(normalise(wanted ?? '')).trim();
  if (title !== '') return title.slice(0, MAX_TITLE_CHARACTERS).toWellFormed();
  const extension = extensionOf(filename);
  const stem = plainDirection(extension === '' ? filename : filename.slice(0, -extension.length - 1));
  return stem.trim() === '' ? filename : stem;
};
