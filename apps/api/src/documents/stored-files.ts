import { documentKey, previewKey, type Storage, thumbnailKey } from '@sheaf/storage';

/** Removes a document's bytes and everything derived from them. Only for a hash that no row refers to any more. */
export const deleteStoredFiles = async (storage: Storage, sha256: string): Promise<void> => {
  await storage.delete(previewKey(sha256));
  for await (const { key } of storage.list(folderOf(thumbnailKey(sha256, 'x')))) {
    if (key.includes(sha256)) await storage.delete(key);
  }
  await storage.delete(documentKey(sha256));
};

const folderOf = (key: string): string => key.slice(0, key.lastIndexOf('/') + 1);
