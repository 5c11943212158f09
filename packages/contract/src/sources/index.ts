export type { BarcodeSettings } from './barcode-settings.ts';
export {
  folderOf,
  localFolderSettings,
  SETTINGS_BY_TYPE,
  type SourceSettings,
  s3Settings,
  sourceAddress,
  webdavSettings,
} from './source.ts';
export {
  type CreateSourceRequest,
  createSourceRequest,
  type SourceBody,
  type SourceHealthBody,
  type SourceTestBody,
  type SyncState,
  type SyncStatusBody,
  sourceBody,
  sourceHealthBody,
  sourceListQuery,
  sourceTestBody,
  syncStatusBody,
  type TestSourceRequest,
  testSourceRequest,
  type UpdateSourceRequest,
  updateSourceRequest,
} from './source-body.ts';
