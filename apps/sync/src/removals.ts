import { ledgerReason } from '@sheaf/contract/imports';
import type { Db } from '@sheaf/db';
import type { Source, SourceFile } from '@sheaf/db/schema';
import { hasOtherOrigin, lockDocumentAndJob } from '@sheaf/documents';
import { recordEvent } from '@sheaf/events';
import { type IngestDeps, noteFile, rewriteNote, type SeenFile } from '@sheaf/ingest';
import { moveToTrash } from '@sheaf/ingest/trash';
import {
  adoptDocument,
  findFilesOfDocument,
  forgetFiles,
  listPresentFiles,
  lockSourceFile,
  MAX_SHOWN_CHARACTERS,
  markDocumentRemoved,
  markFileRemoved,
  SourceError,
} from '@sheaf/sources';
import type { IdSet } from './id-set.ts';
import type { RunTally } from './run-tally.ts';

/** What a complete listing has shown. */
export interface Sighting {
  readonly source: Source;
  /** Rows up to this id were known before the listing began; later ones were met by it. */
  readonly upToId: number;
  readonly met: IdSet;
  /** Folders of which nothing was learnt. */
  readonly unseenFolders: readonly string[];
  readonly startedAt: Date;
  readonly isByHand: boolean;
  readonly tally: RunTally;
  readonly signal: AbortSignal;
}

const PAGE = 1_000;
/** So few files may go at once, whatever part of all they are. */
const MIN_SUSPICIOUS = 10;

/** What is shown of a long path may be cut anywhere: then all that begins like it may be below. */
const isBelow = (folder: string, path: string): boolean =>
  folder === '' || path === folder || path.startsWith(folder.length === MAX_SHOWN_CHARACTERS ? folder : `${folder}/`);

/** Whether the listing could have met the file: nothing was learnt of folders that were refused, or are not to be looked into. */
const wasLookedFor = (path: string, { source, unseenFolders }: Sighting): boolean =>
  (source.isRecursive || !path.includes('/')) && !unseenFolders.some((folder) => isBelow(toLedgerFolder(folder, path), path));

/** The folder as far as the name of a file in the ledger shows it: what is too long there is cut, and may be anywhere below. */
const toLedgerFolder = (folder: string, path: string): string => {
  const [head] = /^.*(?=…[0-9a-f]{64}$)/su.exec(path) ?? [];
  return head !== undefined && `${folder}/`.startsWith(head) ? path : folder;
};

/** The files that are known and were not met, and how many are known. */
const findMissing = async (sighting: Sighting, db: Db): Promise<{ ids: number[]; known: number }> => {
  const { source, upToId, met } = sighting;
  const ids: number[] = [];
  let known = 0;
  for (let afterId = 0; ; ) {
    const files = await listPresentFiles(db, source.id, { afterId, upToId, limit: PAGE });
    known += files.length;
    for (const { id, path } of files) if (!met.has(id) && wasLookedFor(path, sighting)) ids.push(id);
    const last = files.at(-1);
    if (last === undefined) return { ids, known };
    afterId = last.id;
  }
};

/**
 * Settles the files that a complete listing did not meet: those whose contents lie elsewhere now have moved; the others are gone,
 * and are kept and marked, or deleted where the source says so. Throws SourceError when so many are gone that it is rather the
 * listing that is wrong, unless a person asked for the run.
 */
export const settleMissing = async (sighting: Sighting, ingest: IngestDeps): Promise<void> => {
  const { ids, known } = await findMissing(sighting, ingest.db);
  const found: Record<Found, number[]> = { settled: [], copy: [], own: [] };
  for (const id of ids) {
    sighting.signal.throwIfAborted();
    found[await ingest.db.transaction((tx) => settleMove(tx, id, sighting))].push(id);
  }
  // Copies first: a document is deleted only when nothing refers to it any more.
  const gone = [...found.copy, ...found.own];
  if (!sighting.isByHand && gone.length >= MIN_SUSPICIOUS && gone.length > known / 2) throw tooManyGone(gone.length, known);
  for (const id of gone) {
    sighting.signal.throwIfAborted();
    await settleGone(id, sighting, ingest);
  }
};

const tooManyGone = (gone: number, known: number): SourceError =>
  new SourceError(
    'protocol',
    `${gone} of the ${known} known files are missing at the source. Nothing was changed. If the files were removed intentionally, start a sync manually.`,
  );

const seenFile = ({ path, sizeBytes, modifiedAt, sha256 }: SourceFile, { id: sourceId, ownerId, type: route }: Source): SeenFile => ({
  route,
  sourceId,
  ownerId,
  ledgerPath: path,
  filename: path.slice(path.lastIndexOf('/') + 1),
  sizeBytes: sizeBytes ?? undefined,
  modifiedAt: modifiedAt ?? undefined,
  sha256: sha256 ?? undefined,
});

/** The other files that have the document and are there, as far as is known. */
const findOthers = async (tx: Db, { id, documentId }: SourceFile, { source, met, upToId }: Sighting): Promise<SourceFile[]> => {
  if (documentId === null) return [];
  const isThere = (file: SourceFile): boolean => file.sourceId !== source.id || file.id > upToId || met.has(file.id);
  return (await findFilesOfDocument(tx, documentId)).filter((file) => file.id !== id && isThere(file));
};

/** `own` is a file that became a document itself, `copy` everything else that is gone. */
type Found = 'settled' | 'copy' | 'own';

/** Hands the document over to the file of this source that has the same contents, where there is one. */
const settleMove = async (tx: Db, id: number, sighting: Sighting): Promise<Found> => {
  const { source, startedAt, tally } = sighting;
  const file = await lockSourceFile(tx, id);
  if (file === undefined) return 'settled';
  if (file.state !== 'ingested') return 'copy';
  const heir = (await findOthers(tx, file, sighting)).find((other) => other.sourceId === source.id && other.state === 'duplicate');
  if (heir === undefined || heir.documentId === null) return 'own';
  const toHeir = ledgerReason('moved_to', { path: heir.path });
  const fromFile = ledgerReason('moved_from', { path: file.path });
  await rewriteNote(tx, seenFile(file, source), { state: 'ingested', reason: toHeir });
  await forgetFiles(tx, [file.id]);
  await adoptDocument(tx, heir.id);
  await noteFile(tx, seenFile(heir, source), { state: 'ingested', reason: fromFile, documentId: heir.documentId });
  if (heir.updatedAt >= startedAt) tally.copyWasMoved();
  else tally.removed();
  return 'settled';
};

/** Whether this place ever showed the file: of files of a place that the source left nobody knows what became of them there. */
const wasSeenHere = ({ etag, sizeBytes, modifiedAt }: SourceFile): boolean => etag !== null || sizeBytes !== null || modifiedAt !== null;

/** A document that goes is moved to the trash: it was the source that let go of it. */
const settleGone = (id: number, sighting: Sighting, { db }: IngestDeps): Promise<void> =>
  db.transaction((tx) => markGone(tx, id, sighting));

const markGone = async (tx: Db, id: number, sighting: Sighting): Promise<void> => {
  const { source, tally } = sighting;
  const file = await lockSourceFile(tx, id);
  if (file === undefined) return;
  // What never became a document is simply forgotten, and nobody's news.
  if (file.documentId === null && file.sha256 === null) {
    await forgetFiles(tx, [id]);
    return;
  }
  tally.removed();
  const { documentId } = file;
  const isOwn = documentId !== null && file.state === 'ingested' && (await findOthers(tx, file, sighting)).length === 0;
  const goesToo = isOwn && source.settings.on_remote_delete === 'delete' && wasSeenHere(file);
  if (goesToo && (await deleteGone(tx, file, documentId, source))) return;
  await markFileRemoved(tx, id);
  await rewriteNote(tx, seenFile(file, source), {
    state: file.state,
    reason: ledgerReason('gone_at_source'),
    documentId: isOwn ? documentId : undefined,
  });
  if (isOwn && (await markDocumentRemoved(tx, source.id, documentId)))
    await recordEvent(tx, { type: 'document_updated', document_id: documentId, changes: { source_removed: true } }, source.ownerId);
};

/** False where the document is not this source's, or is also what somebody uploaded: then it stays. */
const deleteGone = async (tx: Db, file: SourceFile, documentId: string, source: Source): Promise<boolean> => {
  const document = await lockDocumentAndJob(tx, documentId);
  if (document === undefined || document.sourceId !== source.id) return false;
  if (await hasOtherOrigin(tx, documentId, source.id, file.path)) return false;
  const details = { source_id: source.id, reason: 'removed at its source' };
  await moveToTrash(tx, [document], { reason: 'source_file_removed', details });
  await rewriteNote(tx, seenFile(file, source), {
    state: 'ingested',
    reason: ledgerReason('deleted_with_source'),
  });
  // Forgotten, so that its document is restored should it come back: it was not deleted by anybody here.
  await forgetFiles(tx, [file.id]);
  return true;
};
