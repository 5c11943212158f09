export { fileMissing, toStorageError, withStorageErrors } from './errors.ts';
export {
  DOCUMENTS_PREFIX,
  documentKey,
  hashOfKey,
  ORPHANS_PREFIX,
  orphanKey,
  PREVIEWS_PREFIX,
  previewKey,
  THUMBNAILS_PREFIX,
  thumbnailKey,
} from './keys.ts';
export { LocalStorage, type LocalStorageSettings } from './local-storage.ts';
export type { ByteRange, OpenedObject, PutResult, Storage, StorageSource, StoredObject } from './storage.ts';
export { StorageHealth } from './storage-health.ts';
export { TempArea, type TempFile } from './temp-area.ts';
