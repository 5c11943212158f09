import { posix } from 'node:path';
import { ledgerReason } from '@sheaf/contract/imports';
import type { Db } from '@sheaf/db';
import type { ImportAttempt } from '@sheaf/db/schema';
import { findSourceFiles, rememberIgnored } from '@sheaf/sources';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';
import { noteFile } from '../note-file.ts';
import { type AttemptKind, forgetAttempts, suspectUnfinishedAttempts } from '../queries/import-attempts.ts';

/** After so many crashes that nothing else can have caused, a file is left alone until it changes. */
const MAX_CRASHES = 2;

const reasonFor = (crashes: number): LedgerReason => ledgerReason('quarantined', { crashes });

export interface RecoveredAttempts {
  /** Files that are to be inspected alone. */
  readonly suspects: readonly ImportAttempt[];
  readonly quarantined: readonly ImportAttempt[];
}

/** What the processes that died before this one have left: suspects, and files that are quarantined with that. */
export const recoverAttempts = (db: Db, kind: AttemptKind): Promise<RecoveredAttempts> =>
  db.transaction(async (tx) => {
    const left = await suspectUnfinishedAttempts(tx, kind);
    const quarantined = left.filter(({ crashes }) => crashes >= MAX_CRASHES);
    for (const attempt of quarantined) await quarantine(tx, attempt);
    await forgetAttempts(
      tx,
      quarantined.map(({ id }) => id),
    );
    return { suspects: left.filter(({ crashes }) => crashes < MAX_CRASHES), quarantined };
  });

const quarantine = async (tx: Db, attempt: ImportAttempt): Promise<void> => {
  const { route, path, ownerId, crashes } = attempt;
  const [sizeBytes, modifiedAt] = [attempt.sizeBytes ?? undefined, attempt.modifiedAt ?? undefined];
  const sourceId = attempt.sourceId ?? undefined;
  const documentId = sourceId === undefined ? undefined : await quarantineAtSource(tx, { ...attempt, sourceId });
  const seen = { route, filename: posix.basename(path), ledgerPath: path, ownerId, sourceId, sizeBytes, modifiedAt };
  await noteFile(tx, seen, { state: 'failed', reason: reasonFor(crashes), documentId });
};

/** As a file that was refused by its contents: it is not opened again until it changes. Returns the document that it was before. */
const quarantineAtSource = async (tx: Db, attempt: ImportAttempt & { readonly sourceId: string }): Promise<string | undefined> => {
  const { sourceId, path, etag, sizeBytes, modifiedAt } = attempt;
  const version = { etag: etag ?? undefined, sizeBytes: sizeBytes ?? undefined, modifiedAt: modifiedAt ?? undefined };
  await rememberIgnored(tx, sourceId, [{ path, version, wasOpened: true }]);
  const [known] = await findSourceFiles(tx, sourceId, [path]);
  return known?.documentId ?? undefined;
};
