import { stat } from 'node:fs/promises';
import { AppError } from '@sheaf/contract';
import { hashOfKey, previewKey, type Storage, type StoredObject, searchableKey, thumbnailKey } from '@sheaf/storage';
import type { Transfer } from './transfer.ts';

const foldersOf = (sha256: string): readonly string[] =>
  [thumbnailKey(sha256, ''), searchableKey(sha256, '')].map((anyOne) => anyOne.slice(0, anyOne.lastIndexOf('/') + 1));

/** What was made from an original: its preview, its thumbnails and its searchable PDF, as far as they are in `storage`. */
export const listDerived = async (storage: Storage, sha256: string): Promise<StoredObject[]> => {
  const preview = await storage.stat(previewKey(sha256));
  const found = preview === undefined ? [] : [preview];
  for (const folder of foldersOf(sha256))
    for await (const object of storage.list(folder)) if (hashOfKey(object.key) === sha256) found.push(object);
  return found;
};

const isThere = async (storage: Storage, { key, sizeBytes }: Pick<StoredObject, 'key' | 'sizeBytes'>): Promise<boolean> =>
  (await storage.stat(key))?.sizeBytes === sizeBytes;

/** Those that the target lacks, or has with another size. */
export const listMissingDerived = async ({ source, target }: Transfer, sha256: string): Promise<StoredObject[]> => {
  const missing: StoredObject[] = [];
  for (const object of await listDerived(source.storage, sha256)) if (!(await isThere(target.storage, object))) missing.push(object);
  return missing;
};

/** Undefined where it went meanwhile. */
const fetchDerived = async (storage: Storage, key: string, scratch: string): Promise<string | undefined> => {
  try {
    return await storage.localPath(key, scratch);
  } catch (error) {
    if (error instanceof AppError && error.code === 'FILE_MISSING') return undefined;
    throw error;
  }
};

/** Copies what was made from the original to the target, where it is not there yet. */
export const copyDerived = async (transfer: Transfer, sha256: string, scratch: string): Promise<void> => {
  const { source, target } = transfer;
  for (const { key } of await listMissingDerived(transfer, sha256)) {
    const path = await fetchDerived(source.storage, key, scratch);
    if (path === undefined) continue;
    const sizeBytes = (await stat(path)).size;
    await target.storage.put(key, path);
    if (!(await isThere(target.storage, { key, sizeBytes }))) throw new Error(`${target.storage.pathOf(key)} is incomplete at the target`);
  }
};
