export { fileDamaged, ifThere, isNoRoom, toRoomError, toStorageError, withStorageErrors } from './errors.ts';
export {
  coveringSize,
  DERIVED_PREFIXES,
  DOCUMENTS_PREFIX,
  documentKey,
  hashOfKey,
  isRetiredThumbnail,
  JoinedStorage,
  ORPHANS_PREFIX,
  orphanKey,
  PREVIEWS_PREFIX,
  previewKey,
  SEARCHABLE_PREFIX,
  searchableKey,
  THUMBNAIL_SIZES,
  THUMBNAILS_PREFIX,
  type ThumbnailSize,
  thumbnailKey,
  thumbnailVariant,
} from './joined-storage.ts';
export { knownTypes, LocalStorage, openOneStorage, openStorage } from './open-storage.ts';
export {
  type ByteRange,
  type OpenedObject,
  type Storage,
  StorageHealth,
  type StorageSettings,
  type StorageSource,
  type StorageType,
  type StoredObject,
} from './storage.ts';
export { TempArea, type TempFile } from './temp-area.ts';
export { WorkingSpace } from './working-space.ts';
