import type { GuardedFetch } from '@sheaf/runtime';
import type { SourceDriver } from './driver.ts';
import { DEFAULT_DRIVER_LIMITS, type DriverLimits } from './driver-limits.ts';
import { type LocalFolderSettings, makeLocalFolderDriver } from './local-folder/local-folder-driver.ts';
import { makeS3Driver, type S3Settings } from './s3/s3-driver.ts';
import { makeWebdavDriver, type WebdavSettings } from './webdav/webdav-driver.ts';

export type DriverSettings =
  | ({ readonly type: 'webdav' } & WebdavSettings)
  | ({ readonly type: 's3' } & S3Settings)
  | ({ readonly type: 'local_folder' } & LocalFolderSettings);

export interface DriverDeps {
  readonly fetch: GuardedFetch;
  readonly limits?: DriverLimits;
}

/** The driver of a source. Throws SourceError refused when the settings cannot be those of one; asks nothing of the source yet. */
export const makeDriver = (settings: DriverSettings, { fetch, limits = DEFAULT_DRIVER_LIMITS }: DriverDeps): SourceDriver => {
  switch (settings.type) {
    case 'webdav':
      return makeWebdavDriver(settings, fetch, limits);
    case 's3':
      return makeS3Driver(settings, fetch, limits);
    case 'local_folder':
      return makeLocalFolderDriver(settings, limits);
  }
};
