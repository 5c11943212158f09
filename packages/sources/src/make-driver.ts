import { createRequire } from 'node:module';
import type { GuardedFetch } from '@sheaf/outbound';
import type { SourceDriver } from './driver.ts';
import { DEFAULT_DRIVER_LIMITS, type DriverLimits } from './driver-limits.ts';
import { type LocalFolderSettings, makeLocalFolderDriver } from './local-folder/local-folder-driver.ts';
import type { makeS3Driver, S3Settings } from './s3/s3-driver.ts';
import type { makeWebdavDriver, WebdavSettings } from './webdav/webdav-driver.ts';

export type DriverSettings =
  | ({ readonly type: 'webdav' } & WebdavSettings)
  | ({ readonly type: 's3' } & S3Settings)
  | ({ readonly type: 'local_folder' } & LocalFolderSettings);

export interface DriverDeps {
  readonly fetch: GuardedFetch;
  readonly limits?: DriverLimits;
}

/** Loaded with the first source of the kind: their libraries take some 10 MB each, and many a process never meets one. */
const load = createRequire(import.meta.url);
const webdav = () => load('./webdav/webdav-driver.ts') as { makeWebdavDriver: typeof makeWebdavDriver };
const s3 = () => load('./s3/s3-driver.ts') as { makeS3Driver: typeof makeS3Driver };

/** The driver of a source. Throws SourceError refused when the settings cannot be those of one; asks nothing of the source yet. */
export const makeDriver = (settings: DriverSettings, { fetch, limits = DEFAULT_DRIVER_LIMITS }: DriverDeps): SourceDriver => {
  switch (settings.type) {
    case 'webdav':
      return webdav().makeWebdavDriver(settings, fetch, limits);
    case 's3':
      return s3().makeS3Driver(settings, fetch, limits);
    case 'local_folder':
      return makeLocalFolderDriver(settings, limits);
  }
};
