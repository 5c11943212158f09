import type { Config } from '@sheaf/config';
import { AppError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { hasLocalDocuments, lockDocumentAndJob } from '@sheaf/documents';
import type { AlertAudience } from '@sheaf/events/notifications';
import { runOcrAgain } from '@sheaf/ingest';
import {
  type CompletedBytes,
  checkStoredFile,
  countCompleted,
  countReferencedFiles,
  type FileOfDocuments,
  type FileState,
  findPageGaps,
  listCompletedBytes,
  listDocumentsOfBytes,
  listReferencedFiles,
  lookTwice,
  noteFileChecks,
  type PageGap,
  peek,
  type RestoreFileDeps,
  restoreFile,
} from '@sheaf/ingest/integrity';
import { constant, type Live, systemClock } from '@sheaf/process';
import {
  documentKey,
  hashOfKey,
  knownTypes,
  openOneStorage,
  openStorage,
  previewKey,
  type Storage,
  type StoredObject,
  TempArea,
  THUMBNAILS_PREFIX,
} from '@sheaf/storage';
import { FILE_KINDS } from '@sheaf/vocabulary/file-kinds';
import type { Check, Difference, Progress } from './run-checks.ts';

const HEAD_BYTES = 12;
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const JPEG = Buffer.from('ffd8ff', 'hex');

const beginsWith = (bytes: Buffer, signature: Buffer): boolean => bytes.subarray(0, signature.length).equals(signature);

/** A WebP file says how long it is, so one that was cut off is seen as well. */
const isWebp = (bytes: Buffer, sizeBytes: number): boolean =>
  bytes.length === HEAD_BYTES &&
  bytes.toString('latin1', 0, 4) === 'RIFF' &&
  bytes.toString('latin1', 8, 12) === 'WEBP' &&
  bytes.readUInt32LE(4) + 8 === sizeBytes;

const isPicture = async ({ storage, isFast }: FileCheckDeps, { key, sizeBytes }: StoredObject): Promise<boolean> => {
  if (sizeBytes === 0) return false;
  if (isFast) return true;
  const head = await peek(storage, key, { start: 0, end: Math.min(HEAD_BYTES, sizeBytes) - 1 });
  if (head === 'missing') return true; // removed meanwhile
  return Buffer.isBuffer(head) && (isWebp(head, sizeBytes) || beginsWith(head, PNG) || beginsWith(head, JPEG));
};

async function* findThumbnails(deps: FileCheckDeps, db: Db, progress: Progress): AsyncGenerator<Difference> {
  let done = 0;
  for await (const object of deps.storage.list(THUMBNAILS_PREFIX)) {
    done += 1;
    if (done % 1_000 === 0) progress(done);
    const { key } = object;
    const sha256 = hashOfKey(key);
    if (sha256 === undefined || (await isPicture(deps, object))) continue;
    const documentIds = await listDocumentsOfBytes(db, sha256);
    if (documentIds.length === 0) continue; // belongs to nothing: another check
    const name = key.slice(key.lastIndexOf('-') + 1);
    const repair = async (): Promise<void> => {
      await deps.storage.delete(key);
    };
    yield { subject: subjectOf(documentIds), finding: `its thumbnail ${name} is not an image`, repair };
  }
}

/** Thumbnails are pictures. A damaged one is removed, as it is made anew when somebody wants to see it; so a missing one is none the worse. */
export const makeThumbnails = (deps: FileCheckDeps): Check => ({
  name: 'thumbnails',
  find: (db, progress) => findThumbnails(deps, db, progress),
});

/** What the checks of files need beside the database. */
export interface FileCheckDeps extends RestoreFileDeps {
  /** Who is told when something is wrong that was not, or right again. */
  readonly alerts: Live<AlertAudience>;
  /** How often a document that is read again may be tried. */
  readonly maxAttempts: number;
  /** Presence and size only, instead of every byte. */
  readonly isFast: boolean;
}

/** What the configuration says of storages and backups, opened; the connections are released at the end of the scope. */
export const openFileCheckDeps = async (
  { storage: settings, ingest, notifications }: Config,
  db: Db,
  isFast: boolean,
): Promise<FileCheckDeps & AsyncDisposable> => {
  const options = { hasLocalDocuments: () => hasLocalDocuments(db) };
  const storage = await openStorage(settings, options);
  const places = await Promise.all(knownTypes(settings).map((type) => openOneStorage(type, settings, options)));
  return {
    db,
    storage,
    places,
    backupPath: settings.backupPath,
    temp: new TempArea(settings.tempPath),
    alerts: constant(notifications),
    maxAttempts: ingest.maxAttempts,
    isFast,
    [Symbol.asyncDispose]: async () => {
      for (const opened of [storage, ...places]) await opened.close();
    },
  };
};

/** `document 0190...`, or all that share what is damaged. */
export const subjectOf = (documentIds: readonly string[]): string =>
  `${documentIds.length === 1 ? 'document' : 'documents'} ${documentIds.join(', ')}`;

/** Pages of what `list` finds by hash, one item after the other. */
export const eachByHash = async function* <T extends { readonly sha256: string }>(
  db: Db,
  list: (db: Db, after: string, limit: number) => Promise<readonly T[]>,
): AsyncGenerator<readonly T[]> {
  for (let after = ''; ; ) {
    const page = await list(db, after, PAGE);
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.sha256;
  }
};

const PAGE = 500;

/** Files that are read at the same time: enough to hide the way to a storage in the network. */
const AT_ONCE = 4;
const SECOND_LOOK_MS = 500;
/** A file that is as it should be is noted with others: each transaction costs more than to read a small file. */
const NOTED_TOGETHER = 100;
/** Not later than that, as the service looks at the same files. */
const NOTED_AFTER_MS = 1_000;

type Wrong = Exclude<FileState, 'ok'>;

const FINDINGS: Readonly<Record<Wrong, string>> = {
  missing: 'its stored file is missing',
  changed: 'its stored file is damaged: hash mismatch',
  unreadable: 'its stored file cannot be read',
};

/** A storage that works otherwise, and does not give this file: nothing was learnt of it. */
interface NotLooked {
  readonly reason: AppError;
}

/** `present`: there with its size, and not read. */
type Seen = FileState | 'present' | 'unreferenced' | NotLooked;

/** Every byte; or in a hurry presence and size, where nothing is known to be wrong. */
const look = async (deps: FileCheckDeps, { sha256, sizeBytes, finding }: FileOfDocuments): Promise<Seen> => {
  try {
    if (deps.isFast && finding === undefined) {
      const object = await deps.storage.stat(documentKey(sha256));
      if (object?.sizeBytes === sizeBytes) return 'present';
    }
    return await lookTwice(deps, sha256, { pauseMs: SECOND_LOOK_MS });
  } catch (error) {
    const isOfFile =
      error instanceof AppError && error.kind === 'SERVICE_UNAVAILABLE' && (await deps.storage.check()).status !== 'unhealthy';
    if (!isOfFile) throw error;
    return { reason: error };
  }
};

const toDifference = (deps: FileCheckDeps, { sha256, documentIds }: FileOfDocuments, seen: Seen): Difference | undefined => {
  if (seen === 'ok' || seen === 'present' || seen === 'unreferenced') return undefined;
  const subject = subjectOf(documentIds);
  if (typeof seen === 'object')
    return { subject, finding: `its stored file cannot be read: ${seen.reason.message}`, repair: () => Promise.reject(seen.reason) };
  const repair = async (): Promise<void> => {
    await restoreFile(deps, sha256);
    await noteFileChecks(deps, [{ sha256, finding: undefined, at: systemClock.now() }]);
  };
  return { subject, finding: FINDINGS[seen], repair };
};

interface SeenFile {
  readonly file: FileOfDocuments;
  readonly state: Seen;
  readonly at: Date;
}

const see = async (deps: FileCheckDeps, file: FileOfDocuments): Promise<SeenFile> => {
  const state = await look(deps, file);
  return { file, state, at: systemClock.now() };
};

const isWrong = (state: Seen): state is Wrong => state === 'missing' || state === 'changed' || state === 'unreadable';

/** What was seen of files that were read, noted when it is much, a while ago, or something is wrong. */
class Notes {
  readonly #deps: FileCheckDeps;
  #seen: SeenFile[] = [];
  #notedAt = performance.now();

  constructor(deps: FileCheckDeps) {
    this.#deps = deps;
  }

  async add(seen: readonly SeenFile[]): Promise<void> {
    this.#seen.push(...seen.filter(({ state }) => state === 'ok' || isWrong(state)));
    const isDue = this.#seen.length >= NOTED_TOGETHER || performance.now() - this.#notedAt >= NOTED_AFTER_MS;
    if (isDue || seen.some(({ state }) => isWrong(state))) await this.write();
  }

  async write(): Promise<void> {
    const checked = this.#seen.map(({ file: { sha256 }, state, at }) => ({ sha256, finding: isWrong(state) ? state : undefined, at }));
    this.#seen = [];
    if (checked.length > 0) await noteFileChecks(this.#deps, checked);
    this.#notedAt = performance.now();
  }
}

async function* find(deps: FileCheckDeps, db: Db, progress: Progress): AsyncGenerator<Difference> {
  const total = await countReferencedFiles(db);
  const notes = new Notes(deps);
  let done = 0;
  for await (const page of eachByHash(db, listReferencedFiles)) {
    for (let at = 0; at < page.length; at += AT_ONCE) {
      const files = page.slice(at, at + AT_ONCE);
      const seen = await Promise.all(files.map((file) => see(deps, file)));
      await notes.add(seen);
      for (const { file, state } of seen) {
        const difference = toDifference(deps, file, state);
        if (difference !== undefined) yield difference;
      }
      done += files.length;
      progress(done, total);
    }
  }
  await notes.write();
}

/** Every document has the bytes that it was made of. */
export const makeStoredFiles = (deps: FileCheckDeps): Check => ({
  name: 'stored-files',
  find: (db, progress) => find(deps, db, progress),
});

const BATCH = 500;

const describe = ({ pageCount, pages, lastPage }: PageGap): string =>
  pageCount === pages ? `has ${pages} of ${lastPage} pages` : `has ${pages} pages, not ${pageCount ?? 'any'}`;

const pageDifference = (deps: FileCheckDeps, gap: PageGap): Difference => ({
  subject: subjectOf([gap.documentId]),
  finding: describe(gap),
  repair: () => readDocumentAgain(deps, gap.documentId, gap.sha256),
});

async function* findPages(deps: FileCheckDeps, db: Db, progress: Progress): AsyncGenerator<Difference> {
  const total = await countCompleted(db);
  let done = 0;
  for (let after: string | undefined; ; ) {
    const { gaps, looked, next } = await findPageGaps(db, after, BATCH);
    for (const gap of gaps) yield pageDifference(deps, gap);
    done += looked;
    progress(done, total);
    if (next === undefined) return;
    after = next;
  }
}

/** A document that was read has as many pages as it says. */
export const makeDocumentPages = (deps: FileCheckDeps): Check => ({ name: 'pages', find: (db, progress) => findPages(deps, db, progress) });

/**
 * Queues a completed document to be read again, as its owner would. Throws where its stored file is not right: it would lose the
 * text that it has for nothing. `prepare` is called before.
 */
export const readDocumentAgain = async (
  { db, storage, maxAttempts }: FileCheckDeps,
  documentId: string,
  sha256: string,
  prepare: () => Promise<unknown> = async () => undefined,
): Promise<void> => {
  if ((await checkStoredFile(storage, sha256)) !== 'ok') throw new Error('its stored file must be restored first');
  await prepare();
  await db.transaction(async (tx) => {
    const document = await lockDocumentAndJob(tx, documentId);
    if (document?.status === 'completed') await runOcrAgain(tx, [document], { maxAttempts });
  });
};

const OFFICE_TYPES = FILE_KINDS.filter(({ family }) => family === 'office').map(({ mimeType }) => mimeType);

/** The end of a PDF stands within so many bytes. */
const TAIL_BYTES = 1_024;

type Damage = 'missing' | 'empty' | 'damaged';

const startsAsPdf = (bytes: unknown): boolean => Buffer.isBuffer(bytes) && bytes.toString('latin1').startsWith('%PDF-');
const endsAsPdf = (bytes: unknown): boolean => Buffer.isBuffer(bytes) && bytes.includes('%%EOF');

const findDamage = async (storage: Storage, sha256: string, isFast: boolean): Promise<Damage | undefined> => {
  const key = previewKey(sha256);
  const object = await storage.stat(key);
  if (object === undefined) return 'missing';
  if (object.sizeBytes === 0) return 'empty';
  if (isFast) return undefined;
  const last = object.sizeBytes - 1;
  const isWhole =
    startsAsPdf(await peek(storage, key, { start: 0, end: Math.min(4, last) })) &&
    endsAsPdf(await peek(storage, key, { start: Math.max(0, object.sizeBytes - TAIL_BYTES), end: last }));
  return isWhole ? undefined : 'damaged';
};

const previewDifference = (deps: FileCheckDeps, { sha256, documentIds }: CompletedBytes, damage: Damage): Difference => ({
  subject: subjectOf(documentIds),
  finding: `its preview is ${damage}`,
  repair: async () => {
    const [documentId] = documentIds; // they share it
    if (documentId === undefined) return;
    // The reader takes a rendition that is there for a right one.
    await readDocumentAgain(deps, documentId, sha256, () => deps.storage.delete(previewKey(sha256)));
  },
});

async function* findPreviews(deps: FileCheckDeps, db: Db, progress: Progress): AsyncGenerator<Difference> {
  let done = 0;
  for await (const page of eachByHash(db, (on, after, limit) => listCompletedBytes(on, OFFICE_TYPES, after, limit))) {
    for (const bytes of page) {
      const damage = await findDamage(deps.storage, bytes.sha256, deps.isFast);
      if (damage !== undefined) yield previewDifference(deps, bytes, damage);
      done += 1;
    }
    progress(done);
  }
}

/** Office documents that were read have a rendition to look at. A lost one is made anew when the document is read again. */
export const makePreviews = (deps: FileCheckDeps): Check => ({
  name: 'previews',
  find: (db, progress) => findPreviews(deps, db, progress),
});
