import { join } from 'node:path';
import { stripBoth } from '@sheaf/contract';
import type { RawValues } from './layers.ts';
import type { Values } from './parse.ts';
import { storageType } from './storage.ts';
import type { VariableName } from './variables.ts';
import { folderRelation } from './watch-checks.ts';

type Check = (values: Partial<Values>, raw: RawValues) => string | undefined;

const isGiven = (variable: keyof Values, raw: RawValues): boolean => (raw[variable]?.origin ?? 'default') !== 'default';

/** Two answers to one question: nobody can know which is meant, and the wrong one would split the documents. */
const checkEnabled: Check = ({ S3_ENABLED, STORAGE_TYPE }, raw) => {
  if (!isGiven('S3_ENABLED', raw) || !isGiven('STORAGE_TYPE', raw) || STORAGE_TYPE === undefined) return undefined;
  return S3_ENABLED === (STORAGE_TYPE === 's3')
    ? undefined
    : `contradicts STORAGE_TYPE=${STORAGE_TYPE}; remove S3_ENABLED; STORAGE_TYPE selects the storage of new documents`;
};

const needsS3 = (values: Partial<Values>, raw: RawValues): boolean => storageType(values, raw) === 's3';

const AZURE_PARTS = ['AZURE_STORAGE_CONNECTION_STRING', 'AZURE_STORAGE_CONTAINER'] as const;
const S3_PARTS = ['S3_BUCKET_NAME', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;

const checkS3Part =
  (variable: (typeof S3_PARTS)[number]): Check =>
  (values, raw) =>
    values[variable] === undefined && needsS3(values, raw)
      ? `is required when ${values.S3_ENABLED === true ? 'S3_ENABLED=true' : 'STORAGE_TYPE=s3'}`
      : undefined;

const checkBucket: Check = (values, raw) => {
  const { S3_BUCKET_NAME: bucket } = values;
  if (bucket === undefined) return checkS3Part('S3_BUCKET_NAME')(values, raw);
  return /^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/.test(bucket) ? undefined : 'must be a bucket name without s3:// and slashes';
};

const checkEndpoint: Check = (values, raw) => {
  const { S3_ENDPOINT_URL: endpoint, S3_USE_SSL } = values;
  if (endpoint === undefined || !needsS3(values, raw)) return undefined;
  if (!endpoint.includes('://') || !isGiven('S3_USE_SSL', raw) || S3_USE_SSL === undefined) return undefined;
  return S3_USE_SSL === (new URL(endpoint).protocol === 'https:')
    ? undefined
    : `contradicts S3_USE_SSL=${S3_USE_SSL}; remove S3_USE_SSL; the URL scheme decides`;
};

const checkPrefix: Check = ({ S3_PREFIX: prefix }) => {
  const parts = stripBoth(prefix ?? 'x', '/').split('/');
  const isFolder = parts.every((part) => /^[A-Za-z0-9!_.*'()-]+$/.test(part) && part !== '.' && part !== '..');
  return isFolder ? undefined : "must be a prefix such as archive/sheaf; allowed are letters, digits and ! _ . * ' ( ) -";
};

const checkKmsKey: Check = (values, raw) =>
  values.S3_KMS_KEY_ID === undefined || values.S3_SERVER_SIDE_ENCRYPTION === 'aws:kms' || !needsS3(values, raw)
    ? undefined
    : 'is only used with S3_SERVER_SIDE_ENCRYPTION=aws:kms';

const REQUIRED_BY_AZURE = 'is required when STORAGE_TYPE=azure';

/** Whether it has the parts that a client needs: where the service is, and either a key or a signature. */
const isConnectionString = (text: string): boolean => {
  if (text.startsWith('UseDevelopmentStorage=true')) return true;
  const names = new Set(text.split(';').map((part) => part.split('=', 1)[0]?.trim()));
  const has = (...wanted: readonly string[]): boolean => wanted.every((name) => names.has(name));
  if (has('DefaultEndpointsProtocol', 'AccountName', 'AccountKey')) return has('EndpointSuffix') || has('BlobEndpoint');
  return has('BlobEndpoint', 'SharedAccessSignature');
};

const checkConnectionString: Check = (values, raw) => {
  const { AZURE_STORAGE_CONNECTION_STRING: text } = values;
  if (text === undefined) return storageType(values, raw) === 'azure' ? REQUIRED_BY_AZURE : undefined;
  return isConnectionString(text.reveal())
    ? undefined
    : 'must be a connection string as shown in the Azure portal: DefaultEndpointsProtocol=https;AccountName=...';
};

const checkContainer: Check = (values, raw) => {
  const { AZURE_STORAGE_CONTAINER: container } = values;
  if (container === undefined) return storageType(values, raw) === 'azure' ? REQUIRED_BY_AZURE : undefined;
  return /^[a-z0-9](-?[a-z0-9]){2,62}$/.test(container) ? undefined : 'must be 3 to 63 lower-case letters, digits and single dashes';
};

/** A backup among the stored documents, or where new files are looked for, would be swept away or imported. */
const checkBackupPath: Check = (values) => {
  const { BACKUP_PATH: path, UPLOAD_PATH, TEMP_STORAGE_PATH, THUMBNAIL_PATH, WATCH_FOLDER, USER_WATCH_BASE_DIR } = values;
  if (path === undefined) return undefined;
  const own =
    UPLOAD_PATH === undefined ? [] : ['documents', 'previews', 'thumbnails', 'temp', 'orphans'].map((name) => join(UPLOAD_PATH, name));
  const folders = [...own, TEMP_STORAGE_PATH, THUMBNAIL_PATH, WATCH_FOLDER, USER_WATCH_BASE_DIR].filter((folder) => folder !== undefined);
  const near = folders.find((folder) => ['same', 'inside'].includes(folderRelation(path, folder)));
  if (near !== undefined) return `must not be inside ${near}; choose a separate folder`;
  return UPLOAD_PATH !== undefined && folderRelation(path, UPLOAD_PATH) === 'same'
    ? 'must not be the same folder as UPLOAD_PATH; choose a separate folder'
    : undefined;
};

const listed = (names: readonly string[]): string => names.join(' and ');

/** A line for a storage that is known in part: it is not used, though somebody may believe that documents are read from it. */
const partialNotice = (name: string, parts: readonly VariableName[], values: Partial<Values>): string[] => {
  const [set, missing] = [parts.filter((part) => values[part] !== undefined), parts.filter((part) => values[part] === undefined)];
  if (set.length === 0 || missing.length === 0) return [];
  return [`${listed(set)} ${set.length === 1 ? 'is' : 'are'} ignored: ${name} is not used without ${listed(missing)}`];
};

/** What is worth a word of storages that take no new documents. */
export const partialStorageNotices = (values: Partial<Values>, raw: RawValues): string[] => {
  const type = storageType(values, raw);
  return [
    ...(type === 's3' ? [] : partialNotice('S3', S3_PARTS, values)),
    ...(type === 'azure' ? [] : partialNotice('Azure Blob Storage', AZURE_PARTS, values)),
  ];
};

/** What the variables of the storages must be to each other. */
export const STORAGE_CHECKS: Readonly<Record<string, Check>> = {
  S3_ENABLED: checkEnabled,
  S3_BUCKET_NAME: checkBucket,
  S3_ACCESS_KEY_ID: checkS3Part('S3_ACCESS_KEY_ID'),
  S3_SECRET_ACCESS_KEY: checkS3Part('S3_SECRET_ACCESS_KEY'),
  S3_ENDPOINT_URL: checkEndpoint,
  S3_PREFIX: checkPrefix,
  S3_KMS_KEY_ID: checkKmsKey,
  AZURE_STORAGE_CONNECTION_STRING: checkConnectionString,
  AZURE_STORAGE_CONTAINER: checkContainer,
  BACKUP_PATH: checkBackupPath,
};
