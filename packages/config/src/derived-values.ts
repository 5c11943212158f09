import { Secret } from '@sheaf/contract';
import { BUILT_IN_ROLES } from '@sheaf/vocabulary/permissions';
import { type Config, toConfig } from './config.ts';
import { effectiveFileTypes } from './file-types.ts';
import type { RawValues, Values } from './parse.ts';
import { VARIABLES, type VariableName } from './variables.ts';

type Derive = (config: Config, values: Values) => string | number | boolean | undefined;

const hostAndPort = ({ server: { host, port } }: Config): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;

/** The embedded one; where its port is in use it takes the next free one. */
const embeddedUrl = ({ embeddedDatabase: { port, password } }: Config): string =>
  `postgresql://sheaf:${password.reveal()}@127.0.0.1:${port}/sheaf`;

/** A part of the address that POSTGRES_* make together. */
const ofUrl =
  (part: (url: URL) => string): Derive =>
  ({ database }, values) => {
    if (values.DATABASE_URL !== undefined || database.url === undefined) return undefined;
    return part(new URL(database.url.reveal()));
  };

/** What counts of each variable that may stay unset, where that is a value. In brackets stands what only a running service knows. */
const DERIVED: { readonly [N in VariableName]?: Derive } = {
  DATABASE_URL: (config) => config.database.url?.reveal() ?? embeddedUrl(config),
  DATABASE_DIRECT_URL: (config) => config.database.url?.reveal() ?? embeddedUrl(config),
  POSTGRES_HOST: ofUrl((url) => url.searchParams.get('host') ?? url.hostname),
  POSTGRES_PORT: ofUrl((url) => url.port || '5432'),
  POSTGRES_DB: ofUrl((url) => decodeURIComponent(url.pathname.slice(1))),
  POSTGRES_USER: ofUrl((url) => decodeURIComponent(url.username)),
  POSTGRES_PASSWORD: ofUrl((url) => decodeURIComponent(url.password)),
  SERVER_ADDRESS: hostAndPort,
  PUBLIC_URL: ({ publicUrl }) => publicUrl,
  ALLOWED_FILE_TYPES: (_, { ALLOWED_FILE_TYPES }) => effectiveFileTypes(ALLOWED_FILE_TYPES, true).join(','),
  TEMP_STORAGE_PATH: ({ storage }) => storage.tempPath,
  THUMBNAIL_PATH: ({ storage }) => storage.thumbnailPath,
  BACKUP_PATH: ({ storage }) => storage.backupPath,
  S3_FORCE_PATH_STYLE: (_, { S3_ENDPOINT_URL }) => S3_ENDPOINT_URL !== undefined,
  S3_KMS_KEY_ID: (_, { S3_SERVER_SIDE_ENCRYPTION }) =>
    S3_SERVER_SIDE_ENCRYPTION === 'aws:kms' ? '(the default key of the account)' : undefined,
  WATCH_FOLDER_OWNER: () => '(the first administrator)',
  WATCH_BARCODE_ENABLED: ({ barcodes }) => barcodes.enabled,
  WATCH_BARCODE_SEPARATOR: ({ barcodes }) => barcodes.separator,
  WATCH_BARCODE_KEEP_SEPARATOR: ({ barcodes }) => barcodes.keepSeparator,
  WATCH_BARCODE_ASN_PREFIX: ({ barcodes }) => barcodes.asnPrefix,
  WATCH_BARCODE_LABEL_PREFIX: ({ barcodes }) => barcodes.labelPrefix || undefined,
  CONCURRENT_OCR_JOBS: ({ ocr }) => ocr.concurrentJobs,
  DATE_ORDER: () => '(by the language of the owner)',
  CPU_CORES: ({ resources }) => resources.cores,
  WORKER_THREADS: ({ resources }) => resources.workerThreads,
  APP_SECRET_KEY: () => '(generated)',
  SESSION_SECRET: () => '(generated)',
  JWT_SECRET: () => '(generated)',
  SESSION_COOKIE_SECURE: () => '(if the sign-in used HTTPS)',
  SESSION_IDLE_TIMEOUT_MINUTES: ({ sessions }) => sessions.idleMs / 60_000,
  SECURITY_CSP: ({ headers }) => headers.contentSecurityPolicy,
  OIDC_USER_CLAIM: () => '(preferred_username, else email)',
  OIDC_TOKEN_ENDPOINT_AUTH_METHOD: () => '(client_secret_basic if the provider supports it, else client_secret_post)',
  OIDC_AUTH_ENDPOINT: () => '(discovered)',
  OIDC_TOKEN_ENDPOINT: () => '(discovered)',
  OIDC_USER_INFO_ENDPOINT: () => '(discovered)',
  SAML2_ATTRIBUTE_MAPPING: () => '(the NameID and common names)',
  LDAP_BIND_DN: () => '(anonymous)',
  LDAP_GROUP_SEARCH_BASE: ({ ldap }) => ldap?.baseDn,
  LDAP_USER_ATTR_MAP: ({ ldap }) => JSON.stringify(ldap?.attributes),
  LDAP_GROUP_FILTER: () => '(memberOf of the user entry)',
  LDAP_TLS_CA_FILE: () => "(the system's)",
  WEBAUTHN_ORIGIN: ({ secondFactor }) => secondFactor.webauthn && `https://${secondFactor.webauthn.rpId}`,
};

/** In place of the secrets that are made at the first start: a report makes none. */
const NONE = new Secret('***');
const NO_FILES = {
  generated: { jwtSecret: NONE, databasePassword: NONE, appSecretKey: NONE, sessionSecret: NONE },
  roles: { permissions: BUILT_IN_ROLES, areFromFile: false },
};

const configOf = (values: Partial<Values>, raw: RawValues): Config | undefined => {
  try {
    return toConfig(values as Values, raw, NO_FILES);
  } catch {
    return undefined; // it is not valid, which is told beside
  }
};

/** What is in effect of variables that nobody set, other than a default that stands in the declaration. For people. */
export const derivedValues = (values: Partial<Values>, raw: RawValues): Partial<Record<VariableName, string>> => {
  const config = configOf(values, raw);
  if (config === undefined) return {};
  return Object.fromEntries(
    (Object.keys(VARIABLES) as VariableName[]).flatMap((name) => {
      if ((raw[name]?.origin ?? 'default') !== 'default') return [];
      const value = DERIVED[name]?.(config, values as Values);
      return value === undefined ? [] : [[name, String(value)]];
    }),
  );
};
