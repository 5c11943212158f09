export type { BarcodeSettings } from './barcode-settings.ts';
export { localFolderSettings, SETTINGS_BY_TYPE, type SourceSettings, s3Settings, webdavSettings } from './source.ts';
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
