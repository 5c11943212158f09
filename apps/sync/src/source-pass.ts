import { setImmediate } from 'node:timers/promises';
import { AppError } from '@sheaf/contract';
import { isDatabaseUnavailable } from '@sheaf/db';
import type { Source, SourceFile } from '@sheaf/db/schema';
import {
  type AttemptedFile,
  type IngestDeps,
  ingestRemote,
  isQueueFullError,
  noteSourceFiles,
  QUEUE_FULL_REASON,
  type RemoteResult,
  toLedgerPath,
} from '@sheaf/ingest';
import type { Logger } from '@sheaf/process';
import { traced } from '@sheaf/process/tracing';
import {
  findHighestFileId,
  findSourceFiles,
  type Listing,
  markFilesBack,
  type RefusedEntry,
  type RemoteFile,
  recordIgnored,
  type SourceDriver,
  SourceError,
} from '@sheaf/sources';
import { makeNamePatterns } from '@sheaf/storage/folders';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';
import { type Comparison, compareFile, outcomeOfSkipped, type PendingFile, PendingFiles } from './compare-file.ts';
import { causeOf, isDoubtful, isMissing, noteFileFailure, noteWaiting, type RunTally } from './run-tally.ts';
import type { FileOutcome, SyncDeps } from './sync-deps.ts';

/** For how long a batch is compared without a pause. */
const MAX_BUSY_MS = 50;
/** Files that fail one after the other, and none that does not: it is not the files. */
const MAX_FAILURES_IN_A_ROW = 20;

const OUTCOME_OF: Readonly<Record<RemoteResult['outcome'], FileOutcome>> = {
  added: 'added',
  updated: 'updated',
  moved: 'moved',
  unchanged: 'skipped',
  duplicate: 'skipped',
  refused: 'skipped',
};

/** The run that a pass is part of. */
export interface PassScope {
  readonly source: Source;
  readonly startedAt: Date;
  readonly isByHand: boolean;
  readonly driver: SourceDriver;
  readonly tally: RunTally;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly abort: (error: unknown) => void;
  /** Tells how far the run is, after a file that was fetched and counted. */
  readonly reportProgress: (path: string) => Promise<void>;
}

const toComparison = ({ source, startedAt, isByHand }: PassScope, { settings, clock }: SyncDeps): Comparison => {
  const { allowedExtensions, maxFileBytes } = settings.files.current();
  return {
    rules: {
      isWanted: makeNamePatterns({ patterns: source.filePatterns, ignorePatterns: [] }).isWanted,
      allowedExtensions,
      maxBytes: maxFileBytes,
    },
    now: clock.now(),
    startedAt,
    isByHand,
  };
};

/** One listing of a source: compares it with what is known, and fetches what is new or changed. */
export class SourcePass {
  /** The known files that were listed. */
  readonly met = new IdSet();
  readonly unseenFolders: string[] = [];
  /** Rows up to this id were there before the listing began. */
  readonly upToId: number;
  /** Fetched files that the next listing will know. */
  ignoredFiles = 0;
  readonly #scope: PassScope;
  readonly #deps: SyncDeps;
  readonly #pending: PendingFiles;
  readonly #comparison: Comparison;
  #failuresInARow = 0;

  private constructor(scope: PassScope, deps: SyncDeps, upToId: number) {
    this.#scope = scope;
    this.#deps = deps;
    this.upToId = upToId;
    this.#pending = new PendingFiles(deps.settings.maxPendingFiles);
    this.#comparison = toComparison(scope, deps);
  }

  /** Lists and fetches. Throws SourceError, AppError, and why the run was stopped. */
  static async run(scope: PassScope, deps: SyncDeps): Promise<SourcePass> {
    const pass = new SourcePass(scope, deps, await findHighestFileId(deps.ingest.db, scope.source.id));
    await pass.#listAndFetch();
    return pass;
  }

  /** Whether there were more new files than fit into memory: then everything is to be listed once more. */
  get hasOverflowed(): boolean {
    return this.#pending.hasOverflowed;
  }

  /** Fetches while it lists. What was listed before a listing broke is fetched all the same, so that the next run has less to do. */
  async #listAndFetch(): Promise<void> {
    const lanes = Array.from({ length: this.#deps.settings.parallelDownloads.current() }, () => this.#fetchAll());
    const fetching = Promise.all(lanes).catch((error: unknown) => {
      this.#pending.drop();
      this.#scope.abort(error);
      throw error;
    });
    const [listed, fetched] = await Promise.allSettled([this.#listAll(), fetching]);
    await Promise.allSettled(lanes);
    if (fetched.status === 'rejected') throw fetched.reason;
    if (listed.status === 'rejected') throw listed.reason;
  }

  async #listAll(): Promise<void> {
    try {
      for await (const listing of this.#scope.driver.list(this.#scope.signal)) await this.#compare(listing);
    } finally {
      if (this.#scope.signal.aborted) this.#pending.drop();
      else this.#pending.end();
    }
  }

  async #compare(listing: Listing): Promise<void> {
    const { ingest } = this.#deps;
    const ignored: IgnoredListed[] = [];
    const back: number[] = [];
    for (const { path, isFolder } of listing.refused) if (isFolder) this.unseenFolders.push(path.replace(/\/$/, ''));
    const entries = await lookUpListed(listing, this.#scope.source.id, ingest);
    this.#scope.tally.listed(entries.length);
    let sinceMs = performance.now();
    for (const { listed, known } of entries) {
      // Intricate patterns over long paths take their time: the process answers meanwhile, and the run can be ended.
      if (performance.now() - sinceMs > MAX_BUSY_MS) {
        await setImmediate();
        this.#scope.signal.throwIfAborted();
        sinceMs = performance.now();
      }
      if (known !== undefined) this.met.add(known.id);
      const verdict = this.#judge(listed, known);
      if (verdict.kind === 'fetch') this.#pending.add(this.#toPending(listed, known));
      else if (verdict.kind === 'ignore') ignored.push({ listed, reason: verdict.reason });
      else if (verdict.kind === 'back' && known !== undefined) back.push(known.id);
      if (verdict.kind === 'ignore' || known === undefined) this.#countUnlessFetched(verdict.kind, 'skipped');
      else this.#countUnlessFetched(verdict.kind, outcomeOfSkipped(known, this.#scope.startedAt));
    }
    await noteIgnored(ignored, this.#scope.source, ingest);
    if (back.length > 0) await ingest.db.transaction((tx) => markFilesBack(tx, this.#scope.source.id, back));
  }

  #toPending(listed: ListedFile, known: PendingFile['known']): PendingFile {
    const isSuspect = this.#deps.attempts.isSuspect(toAttempted(listed, this.#scope.source));
    return { file: listed.file, path: listed.path, known, isSuspect };
  }

  #judge(listed: ListedFile, known: PendingFile['known']): ReturnType<typeof compareFile> {
    if (listed.refusal === undefined) return compareFile(listed.file, known, this.#comparison);
    return known === undefined ? { kind: 'ignore', reason: listed.refusal } : { kind: 'skip' };
  }

  #countUnlessFetched(kind: ReturnType<typeof compareFile>['kind'], outcome: FileOutcome): void {
    if (kind !== 'fetch') this.#processed(outcome);
  }

  #processed(outcome: FileOutcome): void {
    this.#scope.tally.processed(outcome);
    this.#deps.telemetry.metrics.file(this.#scope.source.type, outcome);
  }

  async #fetchAll(): Promise<void> {
    for (let file = await this.#pending.next(); file !== undefined; file = await this.#pending.next()) await this.#fetchOnRecord(file);
  }

  /** The attempt is on record before a slot is asked for: whoever is alone has one, and waits for those who are not. */
  async #fetchOnRecord(file: PendingFile): Promise<void> {
    const { attempts } = this.#deps;
    const attempted = toAttempted(file, this.#scope.source);
    const work = (): Promise<boolean> => this.#fetchInTurn(file);
    if (file.isSuspect) await attempts.runAlone(attempted, work, (wasInspected) => wasInspected);
    else await attempts.runAttempted([attempted], work);
  }

  /** Whether the file was inspected to the end. Throws when the run is to end. */
  async #fetchInTurn(file: PendingFile): Promise<boolean> {
    const { signal } = this.#scope;
    for (;;) {
      signal.throwIfAborted();
      await this.#waitForRoom(file);
      const end = await this.#deps.slots.use(signal, () => this.#fetch(file));
      if (end !== 'no room') return end === 'inspected';
    }
  }

  /** The run goes on, and lists, while documents of before are read. */
  async #waitForRoom(file: PendingFile): Promise<void> {
    const { queue } = this.#deps.ingest;
    if (queue === undefined || !(await queue.isFull())) return;
    await noteWaiting(file, QUEUE_FULL_REASON, this.#scope.source, this.#deps);
    await queue.waitForRoom(this.#scope.signal);
  }

  async #fetch(file: PendingFile): Promise<'inspected' | 'failed' | 'no room'> {
    const { source, driver, signal, tally, reportProgress } = this.#scope;
    tally.reading(file.path);
    try {
      const result = await fetchFile(file, { source, driver, signal }, this.#deps);
      this.#failuresInARow = 0;
      this.#count(file, result);
    } catch (error) {
      signal.throwIfAborted();
      if (isQueueFullError(error)) return 'no room';
      await this.#fail(file, causeOf(error));
      return 'failed';
    }
    await reportProgress(file.path);
    return 'inspected';
  }

  #count({ file }: PendingFile, result: RemoteResult): void {
    this.ignoredFiles += 1;
    const bytes = file.sizeBytes ?? 0;
    this.#scope.tally.fetched(bytes);
    this.#deps.telemetry.metrics.bytes(this.#scope.source.type, bytes);
    this.#processed(OUTCOME_OF[result.outcome]);
  }

  /** Throws what is wrong with more than this file. */
  async #fail(file: PendingFile, error: unknown): Promise<void> {
    if (isDatabaseUnavailable(error) || (error instanceof AppError && error.kind === 'SERVICE_UNAVAILABLE')) throw error;
    if (error instanceof SourceError && error.code === 'throttled') throw error;
    if (isMissing(error)) return this.#processed('skipped');
    if (isDoubtful(error)) await this.#scope.driver.check(this.#scope.signal);
    this.#failuresInARow += 1;
    if (this.#failuresInARow >= MAX_FAILURES_IN_A_ROW && error instanceof SourceError) throw error;
    if (!(error instanceof SourceError)) this.#scope.log.warn({ err: error, path: file.path }, 'import of a source file failed');
    await noteFileFailure(file, error, this.#scope.source, this.#deps);
    this.ignoredFiles += 1;
    this.#processed('failed');
  }
}

const BITS_OF_CHUNK = 65_536;

/** A set of row ids, one bit each: a million of them that lie together take 125 KB. */
export class IdSet {
  readonly #chunks = new Map<number, Uint8Array>();

  add(id: number): void {
    const chunk = this.#chunkOf(id) ?? this.#makeChunk(id);
    const bit = id % BITS_OF_CHUNK;
    chunk[bit >>> 3] = (chunk[bit >>> 3] ?? 0) | (1 << (bit & 7));
  }

  has(id: number): boolean {
    const bit = id % BITS_OF_CHUNK;
    return (((this.#chunkOf(id)?.[bit >>> 3] ?? 0) >>> (bit & 7)) & 1) === 1;
  }

  #chunkOf(id: number): Uint8Array | undefined {
    return this.#chunks.get(Math.floor(id / BITS_OF_CHUNK));
  }

  #makeChunk(id: number): Uint8Array {
    const chunk = new Uint8Array(BITS_OF_CHUNK / 8);
    this.#chunks.set(Math.floor(id / BITS_OF_CHUNK), chunk);
    return chunk;
  }
}

/** A listed file under its name in the ledger. */
interface ListedFile {
  readonly path: string;
  readonly file: RemoteFile;
  /** Why the driver does not give it. */
  readonly refusal: LedgerReason | undefined;
}

const NOTHING_KNOWN = { sizeBytes: undefined, modifiedAt: undefined, etag: undefined };

const toListed = (file: RemoteFile, refusal?: LedgerReason): ListedFile => ({ path: toLedgerPath(file.path), file, refusal });
const refusedToListed = ({ path, reason }: RefusedEntry): ListedFile => toListed({ path, ...NOTHING_KNOWN }, reason);

/** What a batch of a listing names, each name once, and what is known of each. */
const lookUpListed = async (
  { files, refused }: Listing,
  sourceId: string,
  { db }: IngestDeps,
): Promise<readonly { readonly listed: ListedFile; readonly known: SourceFile | undefined }[]> => {
  const all = [...refused.map(refusedToListed), ...files.map((file) => toListed(file))];
  const byPath = new Map(all.map((listed) => [listed.path, listed]));
  const known = new Map((await findSourceFiles(db, sourceId, [...byPath.keys()])).map((file) => [file.path, file]));
  return [...byPath.values()].map((listed) => ({ listed, known: known.get(listed.path) }));
};

interface IgnoredListed {
  readonly listed: ListedFile;
  readonly reason: LedgerReason;
}

/** Writes down files that are not fetched, and why. */
const noteIgnored = async (ignored: readonly IgnoredListed[], source: Source, { db }: IngestDeps): Promise<void> => {
  if (ignored.length === 0) return;
  const { id: sourceId, ownerId, type: route } = source;
  await db.transaction(async (tx) => {
    const files = ignored.map(({ listed: { path, file } }) => ({ path, version: file, wasOpened: false }));
    await recordIgnored(tx, sourceId, files);
    await noteSourceFiles(
      tx,
      ignored.map(({ listed: { path, file }, reason }) => {
        const { sizeBytes, modifiedAt } = file;
        const filename = file.path.slice(file.path.lastIndexOf('/') + 1);
        return {
          file: { route, sourceId, ownerId, filename, ledgerPath: path, sizeBytes, modifiedAt },
          outcome: { state: 'ignored', reason },
        };
      }),
    );
  });
};

interface FetchOptions {
  readonly source: Source;
  readonly driver: SourceDriver;
  readonly signal: AbortSignal;
}

/** The document whose contents a changed file changes: the one that it became itself, not one that it is a copy of. */
const replacedBy = (known: SourceFile | undefined): string | undefined =>
  known === undefined || known.state === 'duplicate' ? undefined : (known.documentId ?? undefined);

/** A file of a source, as attempts at it are recorded. */
const toAttempted = ({ file, path }: Pick<PendingFile, 'file' | 'path'>, source: Source): AttemptedFile => {
  const { etag, sizeBytes, modifiedAt } = file;
  return { route: source.type, path, sourceId: source.id, ownerId: source.ownerId, version: { etag, sizeBytes, modifiedAt } };
};

/** Fetches one file and takes it in. Throws SourceError, FileChanged, AppError, or the signal's reason. */
const fetchFile = (pending: PendingFile, options: FetchOptions, deps: SyncDeps): Promise<RemoteResult> => {
  const { type, id } = options.source;
  const start = { kind: 'internal', attributes: { 'sheaf.route': type, 'sheaf.source.id': id } } as const;
  return traced(deps.telemetry.tracer, 'synced file', start, () => importRemote(pending, options, deps));
};

const importRemote = async (
  { file, path, known }: PendingFile,
  { source, driver, signal }: FetchOptions,
  { ingest, settings }: SyncDeps,
): Promise<RemoteResult> => {
  const { etag, sizeBytes, modifiedAt } = file;
  const { maxFileBytes, allowedExtensions } = settings.files.current();
  const opened = await driver.open(file, signal);
  try {
    return await ingestRemote(
      {
        route: source.type,
        sourceId: source.id,
        ownerId: source.ownerId,
        filename: file.path.slice(file.path.lastIndexOf('/') + 1),
        ledgerPath: path,
        body: opened.body,
        maxBytes: maxFileBytes,
        allowedExtensions,
        version: {
          etag,
          sizeBytes,
          modifiedAt,
        },
        replaces: replacedBy(known),
        sizeBytes,
        modifiedAt,
        signal,
        confirm: () => opened.isUnchanged(),
      },
      ingest,
    );
  } finally {
    opened.body.destroy();
  }
};
