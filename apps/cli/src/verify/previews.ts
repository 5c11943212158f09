import type { Db } from '@sheaf/db';
import { type CompletedBytes, listCompletedBytes, peek } from '@sheaf/ingest/integrity';
import { previewKey, type Storage } from '@sheaf/storage';
import { FILE_KINDS } from '@sheaf/vocabulary/file-kinds';
import { readDocumentAgain } from './document-pages.ts';
import type { Check, Difference, Progress } from './run-checks.ts';
import { eachByHash, type FileCheckDeps, subjectOf } from './thumbnails.ts';

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

const toDifference = (deps: FileCheckDeps, { sha256, documentIds }: CompletedBytes, damage: Damage): Difference => ({
  subject: subjectOf(documentIds),
  finding: `its preview is ${damage}`,
  repair: async () => {
    const [documentId] = documentIds; // they share it
    if (documentId === undefined) return;
    // The reader takes a rendition that is there for a right one.
    await readDocumentAgain(deps, documentId, sha256, () => deps.storage.delete(previewKey(sha256)));
  },
});

async function* find(deps: FileCheckDeps, db: Db, progress: Progress): AsyncGenerator<Difference> {
  let done = 0;
  for await (const page of eachByHash(db, (on, after, limit) => listCompletedBytes(on, OFFICE_TYPES, after, limit))) {
    for (const bytes of page) {
      const damage = await findDamage(deps.storage, bytes.sha256, deps.isFast);
      if (damage !== undefined) yield toDifference(deps, bytes, damage);
      done += 1;
    }
    progress(done);
  }
}

/** Office documents that were read have a rendition to look at. A lost one is made anew when the document is read again. */
export const makePreviews = (deps: FileCheckDeps): Check => ({ name: 'previews', find: (db, progress) => find(deps, db, progress) });
