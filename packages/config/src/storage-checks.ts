import { join } from 'node:path';
import { stripBoth } from '@sheaf/contract';
import { folderRelation } from './folder-relation.ts';
import type { RawValues } from './layers.ts';
import type { Values } from './parse.ts';
import { storageType } from './storage.ts';

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

const S3_PARTS = ['S3_BUCKET_NAME', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;

/** Needed by S3; and where one of the three is set without the others, somebody believes that S3 is known. */
const checkS3Part =
  (variable: (typeof S3_PARTS)[number]): Check =>
  (values, raw) => {
    if (values[variable] !== undefined) return undefined;
    if (needsS3(values, raw)) return `is required when ${values.S3_ENABLED === true ? 'S3_ENABLED=true' : 'STORAGE_TYPE=s3'}`;
    const others = S3_PARTS.filter((other) => values[other] !== undefined);
    return others.length === 0 ? undefined : `is required with ${others.join(' and ')}`;
  };

const checkBucket: Check = (values, raw) => {
  const { S3_BUCKET_NAME: bucket } = values;
  if (bucket === undefined) return checkS3Part('S3_BUCKET_NAME')(values, raw);
  return /^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/.test(bucket) ? undefined : 'must be a bucket name without s3:// and slashes';
};

const withScheme = (endpoint: string): string => (endpoint.includes('://') ? endpoint : `https://${endpoint}`);

const checkEndpoint: Check = ({ S3_ENDPOINT_URL: endpoint, S3_USE_SSL }, raw) => {
  if (endpoint === undefined) return undefined;
  const url = URL.canParse(withScheme(endpoint)) ? new URL(withScheme(endpoint)) : undefined;
  const isPlain = url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === '';
  if (!isPlain) return 'must be a URL such as https://minio.example.org:9000, without user name and query';
  if (!endpoint.includes('://') || !isGiven('S3_USE_SSL', raw) || S3_USE_SSL === undefined) return undefined;
  return S3_USE_SSL === (url.protocol === 'https:')
    ? undefined
    : `contradicts S3_USE_SSL=${S3_USE_SSL}; remove S3_USE_SSL; the URL scheme decides`;
};

const checkPrefix: Check = ({ S3_PREFIX: prefix }) => {
  const parts = stripBoth(prefix ?? 'x', '/').split('/');
  const isFolder = parts.every((part) => /^[A-Za-z0-9!_.*'()-]+$/.test(part) && part !== '.' && part !== '..');
  return isFolder ? undefined : "must be a prefix such as archive/sheaf; allowed are letters, digits and ! _ . * ' ( ) -";
};

const checkKmsKey: Check = ({ S3_KMS_KEY_ID, S3_SERVER_SIDE_ENCRYPTION }) =>
  S3_KMS_KEY_ID === undefined || S3_SERVER_SIDE_ENCRYPTION === 'aws:kms'
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
  const { AZURE_STORAGE_CONNECTION_STRING: text, AZURE_STORAGE_CONTAINER } = values;
  if (text === undefined) {
    if (storageType(values, raw) === 'azure') return REQUIRED_BY_AZURE;
    return AZURE_STORAGE_CONTAINER === undefined ? undefined : 'is required with AZURE_STORAGE_CONTAINER';
  }
  return isConnectionString(text.reveal())
    ? undefined
    : 'must be a connection string as shown in the Azure portal: DefaultEndpointsProtocol=https;AccountName=...';
};

const checkContainer: Check = (values, raw) => {
  const { AZURE_STORAGE_CONTAINER: container, AZURE_STORAGE_CONNECTION_STRING } = values;
  if (container === undefined) {
    if (storageType(values, raw) === 'azure') return REQUIRED_BY_AZURE;
    return AZURE_STORAGE_CONNECTION_STRING === undefined ? undefined : 'is required with AZURE_STORAGE_CONNECTION_STRING';
  }
  return /^[a-z0-9](-?[a-z0-9]){2,62}$/.test(container) ? undefined : 'must be 3 to 63 lower-case letters, digits and single dashes';
};

/** A backup among the stored documents, or where new files are looked for, would be swept away or taken in. */
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
