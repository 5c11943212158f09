import type { VariableName } from './variables.ts';

/** Old and alternative names, each with the one that is meant. The proper name wins where both are set in one place. */
export const ALIASES: Readonly<Record<string, VariableName>> = {
  STORAGE_PATH: 'UPLOAD_PATH',
  LOCAL_STORAGE_PATH: 'UPLOAD_PATH',
  STORAGE_BACKEND: 'STORAGE_TYPE',
  S3_BUCKET: 'S3_BUCKET_NAME',
  S3_ENDPOINT: 'S3_ENDPOINT_URL',
  OCR_WORKERS: 'CONCURRENT_OCR_JOBS',
  OCR_MAX_PARALLEL: 'CONCURRENT_OCR_JOBS',
  DATABASE_POOL_SIZE: 'DATABASE_MAX_CONNECTIONS',
  POSTGRES_MAX_CONNECTIONS: 'DATABASE_MAX_CONNECTIONS',
  JWT_SECRET_KEY: 'JWT_SECRET',
  OIDC_ISSUER: 'OIDC_ISSUER_URL',
  OIDC_SCOPE: 'OIDC_SCOPES',
};

/** Those that a version of the service took away. The others are second names of today. */
export const RENAMED: readonly string[] = ['STORAGE_PATH', 'OCR_WORKERS'];
