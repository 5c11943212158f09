import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { documentKey, type LocalStorage, previewKey } from '@sheaf/storage';
import { type BulkDocument, OFFICE_TYPE, type StoredBytes, typeOf } from './search-library.ts';

const PREVIEW = Buffer.from('%PDF-1.7\n%%EOF\n');

/** Without a sync of each, as nobody measures how they get there. */
const write = async (path: string, bytes: Uint8Array): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
};

const store = async (storage: LocalStorage, { n, text }: BulkDocument): Promise<StoredBytes> => {
  // texts may be alike, and no owner has the same content twice
  const bytes = Buffer.from(`${text}\n${n}`);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const path = storage.pathOf(documentKey(sha256));
  await write(path, bytes);
  if (typeOf(n) === OFFICE_TYPE) await write(storage.pathOf(previewKey(sha256)), PREVIEW);
  return { sha256, sizeBytes: bytes.length, path };
};

/** Gives each document a file with its text, and a rendition where its type has one. */
export const storeBulk = (storage: LocalStorage, batch: readonly BulkDocument[]): Promise<StoredBytes[]> =>
  Promise.all(batch.map((document) => store(storage, document)));
