import type { Config } from '@sheaf/config';
import type { Db } from '@sheaf/db';
import { hasLocalDocuments } from '@sheaf/documents';
import type { AlertAudience } from '@sheaf/events/notifications';
import { listDocumentsOfBytes, peek, type RestoreFileDeps } from '@sheaf/ingest/integrity';
import { constant, type Live } from '@sheaf/process';
import { hashOfKey, knownTypes, openOneStorage, openStorage, type StoredObject, TempArea, THUMBNAILS_PREFIX } from '@sheaf/storage';
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

async function* find(deps: FileCheckDeps, db: Db, progress: Progress): AsyncGenerator<Difference> {
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
export const makeThumbnails = (deps: FileCheckDeps): Check => ({ name: 'thumbnails', find: (db, progress) => find(deps, db, progress) });

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
