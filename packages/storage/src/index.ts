export { fileDamaged, isNoRoom, toRoomError, toStorageError, withStorageErrors } from './errors.ts';
export { ifThere } from './if-there.ts';
export { JoinedStorage } from './joined-storage.ts';
export {
  DERIVED_PREFIXES,
  DOCUMENTS_PREFIX,
  documentKey,
  hashOfKey,
  ORPHANS_PREFIX,
  orphanKey,
  PREVIEWS_PREFIX,
  previewKey,
  SEARCHABLE_PREFIX,
  searchableKey,
  THUMBNAILS_PREFIX,
  thumbnailKey,
} from './keys.ts';
export { LocalStorage } from './local-storage.ts';
export { knownTypes, openOneStorage, openStorage } from './open-storage.ts';
export type { ByteRange, OpenedObject, Storage, StorageSource, StoredObject } from './storage.ts';
export { StorageHealth } from './storage-health.ts';
export type { StorageSettings, StorageType } from './storage-settings.ts';
export { TempArea, type TempFile } from './temp-area.ts';
export { coveringSize, isRetiredThumbnail, THUMBNAIL_SIZES, type ThumbnailSize, thumbnailVariant } from './thumbnail-sizes.ts';
export { WorkingSpace } from './working-space.ts';
