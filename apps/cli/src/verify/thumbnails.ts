import type { Db } from '@sheaf/db';
import { listDocumentsOfBytes, peek } from '@sheaf/ingest/integrity';
import { hashOfKey, type StoredObject, THUMBNAILS_PREFIX } from '@sheaf/storage';
import type { Check, Difference, Progress } from './check.ts';
import { type FileCheckDeps, subjectOf } from './file-check-deps.ts';

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
