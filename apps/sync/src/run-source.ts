import { AppError } from '@sheaf/contract';
import { ledgerReason } from '@sheaf/contract/imports';
import type { Db } from '@sheaf/db';
import type { Source, SourceFile, SyncRun } from '@sheaf/db/schema';
import { hasOtherOrigin, lockDocumentAndJob } from '@sheaf/documents';
import { recordEvent } from '@sheaf/events';
import { type IngestDeps, noteFile, rewriteNote, type SeenFile } from '@sheaf/ingest';
import { moveToTrash } from '@sheaf/ingest/trash';
import { type Logger, sleep, withLogFields } from '@sheaf/process';
import {
  adoptDocument,
  findFilesOfDocument,
  forgetFiles,
  listPresentFiles,
  lockSourceFile,
  MAX_SHOWN_CHARACTERS,
  markDocumentRemoved,
  markFileRemoved,
  type SourceDriver,
  SourceError,
} from '@sheaf/sources';
import { saveRun } from '@sheaf/sources/runs';
import type { SourceProblem } from '@sheaf/vocabulary/sources';
import { RunTally } from './run-tally.ts';
import { type IdSet, type PassScope, SourcePass } from './source-pass.ts';
import type { SyncDeps } from './sync-deps.ts';

/** How a run ended. */
export type RunEnd =
  | { readonly kind: 'completed' }
  | { readonly kind: 'failed'; readonly code: SourceProblem; readonly error: string; readonly retryAfterMs?: number | undefined }
  | { readonly kind: 'cancelled' }
  /** It is over already, or its source gone: there is nothing to write. */
  | { readonly kind: 'gone' }
  /** It goes on later: the process stops, or the source was changed. */
  | { readonly kind: 'interrupted' };

/** Why a run is to stop before its end. */
class Stopped extends Error {
  override readonly name = 'Stopped';
  readonly end: RunEnd;

  constructor(end: RunEnd) {
    super(`the sync run was ${end.kind}`);
    this.end = end;
  }
}

/** How often a run is written down, and looked at whether it is to end. */
const SAVE_EVERY_MS = 1_000;
const OWNER_MAY_NOT = 'The owner of this source is disabled or no longer allowed to create documents.';

const neverThere = (): SourceError =>
  new SourceError('protocol', 'The source lists many files, but most of them do not exist when they are downloaded.');

/** One pass over a source: lists all of it, fetches what is new or changed, settles what is gone. */
export class SourceRun {
  readonly tally: RunTally;
  readonly #source: Source;
  readonly #run: SyncRun;
  readonly #deps: SyncDeps;
  readonly #log: Logger;
  readonly #abort = new AbortController();
  readonly #startedAt: Date;
  /** Fetched files of the last listing that the next one will know. */
  #ignoredFiles = 0;
  /** What of the progress has not been told yet. */
  #reportedProcessed = 0;
  /** Progress is told one after the other, or files that are fetched beside each other would let it jump back. */
  #reporting: Promise<void> = Promise.resolve();

  constructor(source: Source, run: SyncRun, deps: SyncDeps) {
    this.#source = source;
    this.#run = run;
    this.#deps = deps;
    this.#log = deps.telemetry.log;
    this.#startedAt = run.startedAt ?? deps.clock.now();
    this.tally = new RunTally(run);
  }

  /** Ends the run soon, as something else shows that it is to. */
  look(): Promise<void> {
    return this.#save();
  }

  /** Never throws but for the database, or a mistake of ours: then the run is open, and goes on later. */
  execute(stop: AbortSignal): Promise<RunEnd> {
    return withLogFields({ source_id: this.#source.id, run_id: this.#run.id }, () => this.#execute(stop));
  }

  async #execute(stop: AbortSignal): Promise<RunEnd> {
    const onStop = (): void => this.#stop({ kind: 'interrupted' });
    stop.addEventListener('abort', onStop, { once: true });
    if (stop.aborted) onStop();
    const ticker = new AbortController();
    const ticking = this.#tick(ticker.signal);
    try {
      await this.#save();
      this.#abort.signal.throwIfAborted();
      await this.#work();
      return { kind: 'completed' };
    } catch (error) {
      return this.#toEnd(error);
    } finally {
      stop.removeEventListener('abort', onStop);
      ticker.abort();
      await ticking;
    }
  }

  #stop(end: RunEnd): void {
    this.#abort.abort(new Stopped(end));
  }

  #toEnd(error: unknown): RunEnd {
    const reason: unknown = this.#abort.signal.reason;
    if (this.#abort.signal.aborted && reason instanceof Stopped) return reason.end;
    if (error instanceof SourceError) return { kind: 'failed', code: error.code, error: error.message, retryAfterMs: error.retryAfterMs };
    if (error instanceof AppError) return { kind: 'failed', code: 'failed', error: error.message };
    throw error;
  }

  async #work(): Promise<void> {
    const driver = this.#deps.openDriver(this.#source);
    try {
      while (await this.#pass(driver)) {
        // Another listing is worth it only where this one has left fewer files to be fetched.
        if (this.#ignoredFiles < this.#deps.settings.maxPendingFiles / 2) throw neverThere();
        this.tally.restart();
      }
    } finally {
      await driver.close();
    }
  }

  /** True when there were more new files than fit into memory: then everything is listed once more. */
  async #pass(driver: SourceDriver): Promise<boolean> {
    const scope = this.#scope(driver);
    const pass = await SourcePass.run(scope, this.#deps);
    this.#ignoredFiles = pass.ignoredFiles;
    if (pass.hasOverflowed) return true;
    const { met, unseenFolders, upToId } = pass;
    await settleMissing({ ...scope, met, unseenFolders, upToId }, this.#deps.ingest);
    return false;
  }

  #scope(driver: SourceDriver): PassScope {
    return {
      source: this.#source,
      startedAt: this.#startedAt,
      isByHand: this.#run.trigger === 'manual',
      driver,
      tally: this.tally,
      log: this.#log,
      signal: this.#abort.signal,
      abort: (error) => this.#abort.abort(error),
      reportProgress: (path) => this.#reportProgress(path),
    };
  }

  async #tick(signal: AbortSignal): Promise<void> {
    while (await sleep(SAVE_EVERY_MS, signal)) {
      try {
        await this.#save();
        await this.#reportOthers();
      } catch (error) {
        this.#log.debug({ err: error }, 'sync progress could not be stored'); // what works on the files finds out by itself
      }
    }
  }

  async #save(): Promise<void> {
    const { ingest, settings } = this.#deps;
    const news = await saveRun(ingest.db, this.#run.id, this.tally.counters, settings);
    if (news === undefined) this.#stop({ kind: 'gone' });
    else if (news.isCancelled || !news.isEnabled) this.#stop({ kind: 'cancelled' });
    else if (!news.mayOwnerMakeDocuments) this.#stop({ kind: 'failed', code: 'failed', error: OWNER_MAY_NOT });
    else if (news.changedAt.getTime() !== this.#source.updatedAt.getTime()) this.#stop({ kind: 'interrupted' });
  }

  /** Files that are fetched are reported one by one; the others now and then. */
  async #reportOthers(): Promise<void> {
    const { processed, currentFile } = this.tally.counters;
    if (processed !== this.#reportedProcessed) await this.#reportProgress(currentFile);
  }

  #reportProgress(currentFile: string | null): Promise<void> {
    const { ingest } = this.#deps;
    const { processed, total } = this.tally.progress();
    this.#reportedProcessed = this.tally.counters.processed;
    const event = { type: 'sync_progress', source_id: this.#source.id, processed, total, current_file: currentFile } as const;
    const reported = this.#reporting.then(() => recordEvent(ingest.db, event, this.#source.ownerId));
    this.#reporting = reported.catch(() => undefined); // whoever waits for it hears of it
    return reported;
  }
}

/** What a complete listing has shown. */
interface Listing {
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
const wasLookedFor = (path: string, { source, unseenFolders }: Listing): boolean =>
  (source.isRecursive || !path.includes('/')) && !unseenFolders.some((folder) => isBelow(toLedgerFolder(folder, path), path));

/** The folder as far as the name of a file in the ledger shows it: what is too long there is cut, and may be anywhere below. */
const toLedgerFolder = (folder: string, path: string): string => {
  const [head] = /^.*(?=…[0-9a-f]{64}$)/su.exec(path) ?? [];
  return head !== undefined && `${folder}/`.startsWith(head) ? path : folder;
};

/** The files that are known and were not met, and how many are known. */
const findMissing = async (listing: Listing, db: Db): Promise<{ ids: number[]; known: number }> => {
  const { source, upToId, met } = listing;
  const ids: number[] = [];
  let known = 0;
  for (let afterId = 0; ; ) {
    const files = await listPresentFiles(db, source.id, { afterId, upToId, limit: PAGE });
    known += files.length;
    for (const { id, path } of files) if (!met.has(id) && wasLookedFor(path, listing)) ids.push(id);
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
const settleMissing = async (listing: Listing, ingest: IngestDeps): Promise<void> => {
  const { ids, known } = await findMissing(listing, ingest.db);
  const found: Record<Found, number[]> = { settled: [], copy: [], own: [] };
  for (const id of ids) {
    listing.signal.throwIfAborted();
    found[await ingest.db.transaction((tx) => settleMove(tx, id, listing))].push(id);
  }
  // Copies first: a document is deleted only when nothing refers to it any more.
  const gone = [...found.copy, ...found.own];
  if (!listing.isByHand && gone.length >= MIN_SUSPICIOUS && gone.length > known / 2) throw tooManyMissing(gone.length, known);
  for (const id of gone) {
    listing.signal.throwIfAborted();
    await concludeMissing(id, listing, ingest);
  }
};

const tooManyMissing = (gone: number, known: number): SourceError =>
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
const findOthers = async (tx: Db, { id, documentId }: SourceFile, { source, met, upToId }: Listing): Promise<SourceFile[]> => {
  if (documentId === null) return [];
  const isThere = (file: SourceFile): boolean => file.sourceId !== source.id || file.id > upToId || met.has(file.id);
  return (await findFilesOfDocument(tx, documentId)).filter((file) => file.id !== id && isThere(file));
};

/** `own` is a file that became a document itself, `copy` everything else that is gone. */
type Found = 'settled' | 'copy' | 'own';

/** Hands the document over to the file of this source that has the same contents, where there is one. */
const settleMove = async (tx: Db, id: number, listing: Listing): Promise<Found> => {
  const { source, startedAt, tally } = listing;
  const file = await lockSourceFile(tx, id);
  if (file === undefined) return 'settled';
  if (file.state !== 'ingested') return 'copy';
  const heir = (await findOthers(tx, file, listing)).find((other) => other.sourceId === source.id && other.state === 'duplicate');
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
const concludeMissing = (id: number, listing: Listing, { db }: IngestDeps): Promise<void> =>
  db.transaction((tx) => markMissing(tx, id, listing));

const markMissing = async (tx: Db, id: number, listing: Listing): Promise<void> => {
  const { source, tally } = listing;
  const file = await lockSourceFile(tx, id);
  if (file === undefined) return;
  // What never became a document is simply forgotten, and nobody's news.
  if (file.documentId === null && file.sha256 === null) {
    await forgetFiles(tx, [id]);
    return;
  }
  tally.removed();
  const { documentId } = file;
  const isOwn = documentId !== null && file.state === 'ingested' && (await findOthers(tx, file, listing)).length === 0;
  const goesToo = isOwn && source.settings.on_remote_delete === 'delete' && wasSeenHere(file);
  if (goesToo && (await deleteMissing(tx, file, documentId, source))) return;
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
const deleteMissing = async (tx: Db, file: SourceFile, documentId: string, source: Source): Promise<boolean> => {
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
