import type { Secret } from '@sheaf/contract';
import type { SourceSettings } from '@sheaf/contract/sources';
import type { SourceType } from '@sheaf/vocabulary/sources';
import type { DriverSettings } from './make-driver.ts';
import { SourceError } from './source-error.ts';

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
