import { createRequire } from 'node:module';
import type { Secret } from '@sheaf/contract';
import type { SourceSettings } from '@sheaf/contract/sources';
import type { GuardedFetch } from '@sheaf/outbound';
import type { SourceType } from '@sheaf/vocabulary/sources';
import { DEFAULT_DRIVER_LIMITS, type DriverLimits } from './listing-budget.ts';
import { type LocalFolderSettings, makeLocalFolderDriver } from './local-folder/local-folder-driver.ts';
import type { makeS3Driver, S3Settings } from './s3/s3-driver.ts';
import { type SourceDriver, SourceError } from './source-driver.ts';
import type { makeWebdavDriver, WebdavSettings } from './webdav/webdav-driver.ts';

/** What a source is kept as, of which its driver is made. */
export interface SourceConnection {
  readonly type: SourceType;
  readonly url: string | null;
  readonly username: string | null;
  readonly settings: SourceSettings;
  readonly isRecursive: boolean;
}

/** Of stores that have none of their own, every one takes this. */
const DEFAULT_REGION = 'us-east-1';

const incomplete = (what: string): SourceError => new SourceError('refused', `The source has no ${what}. Give it one.`);

const toWebdavSettings = ({ url, username, isRecursive }: SourceConnection, password: Secret | undefined): DriverSettings => {
  if (url === null) throw incomplete('address');
  return { type: 'webdav', url, username: username ?? undefined, password, recursive: isRecursive };
};

const toS3Settings = ({ username, settings, isRecursive }: SourceConnection, secretAccessKey: Secret | undefined): DriverSettings => {
  if (settings.bucket === undefined) throw incomplete('bucket');
  if (username === null || secretAccessKey === undefined) throw incomplete('access key');
  return {
    type: 's3',
    bucket: settings.bucket,
    region: settings.region ?? DEFAULT_REGION,
    endpointUrl: settings.endpoint_url,
    prefix: settings.prefix,
    // A store of one's own rarely has a name for each bucket.
    forcePathStyle: settings.force_path_style ?? settings.endpoint_url !== undefined,
    accessKeyId: username,
    secretAccessKey,
    recursive: isRecursive,
  };
};

const toFolderSettings = ({ settings: { path }, isRecursive }: SourceConnection, roots: readonly string[]): DriverSettings => {
  if (path === undefined) throw incomplete('folder');
  return { type: 'local_folder', path, roots, recursive: isRecursive };
};

/**
 * What the driver of a source is made from; one of a folder of this machine reads inside `localRoots` alone. Throws SourceError
 * refused for what makes no source.
 */
export const toDriverSettings = (source: SourceConnection, secret: Secret | undefined, localRoots: readonly string[]): DriverSettings => {
  switch (source.type) {
    case 'webdav':
      return toWebdavSettings(source, secret);
    case 's3':
      return toS3Settings(source, secret);
    case 'local_folder':
      return toFolderSettings(source, localRoots);
  }
};

type DriverSettings =
  | ({ readonly type: 'webdav' } & WebdavSettings)
  | ({ readonly type: 's3' } & S3Settings)
  | ({ readonly type: 'local_folder' } & LocalFolderSettings);

interface DriverDeps {
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
