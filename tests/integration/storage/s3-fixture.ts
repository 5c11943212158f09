import { Secret } from '@sheaf/contract';
import type { Storage } from '@sheaf/storage';
import { openS3Storage, PATIENCE, type Patience, type S3StorageSettings } from '@sheaf/storage/testing';

export type GivenS3 = Partial<S3StorageSettings> &
  Pick<S3StorageSettings, 'tempPath' | 'endpointUrl'> & { readonly patience?: Partial<Patience> };

/** The settings of a storage in the bucket `documents` of a service on loopback. */
export const s3Settings = ({ patience: _patience, ...settings }: GivenS3): S3StorageSettings => ({
  bucket: 'documents',
  accessKeyId: 'S3RVER',
  secretAccessKey: new Secret('S3RVER-hunter2'),
  region: 'us-east-1',
  forcePathStyle: true,
  prefix: '',
  verifyCertificate: true,
  storageClass: 'STANDARD',
  encryption: undefined,
  kmsKeyId: undefined,
  ...settings,
});

/** A storage that asks again at once, and waits for a machine that has other work. */
export const givenS3 = (given: GivenS3): Storage =>
  openS3Storage(s3Settings(given), { ...PATIENCE, pauseMs: 5, answerMs: 60_000, idleMs: 60_000, ...given.patience });
