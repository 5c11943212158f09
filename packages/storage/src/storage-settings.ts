import type { Secret } from '@sheaf/contract';

export interface S3StorageSettings {
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
  readonly region: string;
  /** Undefined: Amazon's own, over https. */
  readonly endpointUrl: string | undefined;
  readonly forcePathStyle: boolean;
  /** '' or ending with a slash. */
  readonly prefix: string;
  readonly verifyCertificate: boolean;
  readonly storageClass: string;
  readonly encryption: 'AES256' | 'aws:kms' | undefined;
  readonly kmsKeyId: string | undefined;
  /** Where streams are kept until they are sent. */
  readonly tempPath: string;
}

export interface AzureStorageSettings {
  readonly connectionString: Secret;
  readonly container: string;
  /** Where streams are kept until they are sent. */
  readonly tempPath: string;
}

export type StorageType = 'local' | 's3' | 'azure';

/** The section `storage` of the configuration. */
export interface StorageSettings {
  /** The one that new objects go to. */
  readonly type: StorageType;
  readonly path: string;
  readonly thumbnailPath: string;
  readonly tempPath: string;
  readonly s3: Omit<S3StorageSettings, 'tempPath'> | undefined;
  readonly azure: Omit<AzureStorageSettings, 'tempPath'> | undefined;
}
