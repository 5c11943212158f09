import { createHash } from 'node:crypto';
import { storableText } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { recordEvent, recordEvents } from '@sheaf/events';
import type { IngestRoute, LedgerState } from '@sheaf/vocabulary/documents';
import type { SheafEvent } from '@sheaf/vocabulary/events';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';
import { cleanFilename } from './filename.ts';
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

/** Writes the ledger's row and the event that goes with it. Takes the transaction in which the fate becomes true. */
export const noteFile = async (tx: Db, file: SeenFile, fate: LedgerOutcome): Promise<void> => {
  await rewriteNote(tx, file, fate);
  await recordEvent(tx, ingestEvent(file, fate), file.ownerId ?? null);
};

/** What is told of a file that was seen on a route. */
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
  many: readonly { readonly file: SeenFile & { readonly sourceId: string }; readonly fate: LedgerOutcome }[],
): Promise<void> => {
  await recordSourceLedger(
    tx,
    many.map(({ file, fate }) => ({ ...file, path: file.ledgerPath, ...fate })),
  );
  await recordEvents(
    tx,
    many.map(({ file, fate }) => ({ event: ingestEvent(file, fate), ownerId: file.ownerId ?? null })),
  );
};

/** Writes the row alone: nothing new happened to the file. */
export const rewriteNote = (tx: Db, file: SeenFile, fate: LedgerOutcome): Promise<void> =>
  recordLedger(tx, {
    route: file.route,
    path: file.ledgerPath,
    ownerId: file.ownerId,
    sourceId: file.sourceId,
    sizeBytes: file.sizeBytes,
    modifiedAt: file.modifiedAt,
    sha256: file.sha256,
    ...fate,
  });
