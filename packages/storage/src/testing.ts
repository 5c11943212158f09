// What only the tests of this package import: production code uses the index.
export { openAzureStorage } from './azure/azure-storage.ts';
export { PATIENCE, type Patience } from './remote/patience.ts';
export { ByteBudget } from './remote/pieces.ts';
export { type ExpectedBody, verifiedStream } from './remote/verified-stream.ts';
export { openS3Storage } from './s3/s3-storage.ts';
export type { S3StorageSettings } from './storage.ts';
