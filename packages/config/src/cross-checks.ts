import { X509Certificate } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { ocrLanguage } from '@sheaf/contract/queue';
import { DATABASE_CHECKS } from './database-checks.ts';
import { DIRECTORY_CHECKS } from './directory-checks.ts';
import { FEDERATION_CHECKS } from './federation.ts';
import { isKnownExtension } from './file-types.ts';
import { checkDataPath } from './generated-secrets.ts';
import { NOTIFICATION_CHECKS } from './notifications.ts';
import type { ConfigIssue, RawValues, Values } from './parse.ts';
import { readPem, wrongFile } from './regular-file.ts';
import { readRoles, SESSION_CHECKS, SIGN_IN_CHECKS } from './sign-in.ts';
import { STORAGE_CHECKS } from './storage.ts';
import { PROBE_CHECKS, SURFACE_CHECKS } from './surface-checks.ts';
import { isHost, isNetwork } from './value-types.ts';
import { VARIABLES, type VariableName } from './variables.ts';
import { WATCH_CHECKS } from './watch-checks.ts';

type Check = (values: Partial<Values>) => ConfigIssue['message'] | undefined;

const checkCollector: Check = ({ TRACING_ENABLED, TRACE_COLLECTOR_ENDPOINT: endpoint }) =>
  endpoint === undefined && TRACING_ENABLED === true ? 'is required when TRACING_ENABLED=true' : undefined;

/** At rest all processes take some 430 MB with the embedded database, and one page needs room beside them. */
const LEAST_MEMORY_MB = 512;
/** At rest one takes some 70 MB. */
const MEMORY_OF_FURTHER_WORKER_MB = 80;

/** With less the service would be beyond its limit while it does nothing, and its readers would be started anew for ever. */
const checkMemory: Check = ({ MEMORY_LIMIT_MB: limit, OCR_WORKER_PROCESSES: workers = 1 }) => {
  const least = LEAST_MEMORY_MB + (workers - 1) * MEMORY_OF_FURTHER_WORKER_MB;
  if (limit === undefined || limit >= least) return undefined;
  const remedy = workers === 1 ? 'increase it' : 'increase it or reduce OCR_WORKER_PROCESSES';
  return `must be at least ${least}, the memory of idle processes (OCR_WORKER_PROCESSES=${workers}); ${remedy}`;
};

const RESOURCE_CHECKS: Readonly<Record<string, Check>> = {
  MEMORY_LIMIT_MB: checkMemory,
  TRACE_COLLECTOR_ENDPOINT: checkCollector,
};

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z\d+/=\s]+-----END CERTIFICATE-----/g;

/** The certificates of a PEM file. Throws where there is none, or one cannot be read. */
const parseAuthorities = (pem: Buffer): string[] => {
  const certificates = pem.toString('latin1').match(CERTIFICATE) ?? [];
  if (certificates.length === 0) throw new Error('it contains no certificate');
  return certificates.map((certificate) => new X509Certificate(certificate).toString());
};

/** Those that Node trusts by itself, NODE_EXTRA_CA_CERTS among them. */
let usual: readonly string[] | undefined;

/**
 * Lets this process trust the authorities of a checked file besides the usual ones, for every TLS connection that it makes and that
 * names none of its own: of the guarded client, of storages, directories, mail and key-value stores.
 */
export const trustAuthorities = (path: string): void => {
  usual ??= getCACertificates('default');
  setDefaultCACertificates([...usual, ...parseAuthorities(readPem(path))]);
};

const checkAddress = ({ SERVER_ADDRESS }: Partial<Values>): string | undefined => {
  if (SERVER_ADDRESS === undefined) return undefined;
  const [, inBrackets, plain, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(SERVER_ADDRESS) ?? [];
  const isRight = (isIPv6(inBrackets ?? '') || isHost(plain ?? '')) && Number(port) <= 65_535;
  return isRight ? undefined : 'must be host:port, such as 0.0.0.0:8080 or [::]:8080';
};

const checkHost =
  (variable: 'SERVER_HOST' | 'PROBE_HOST') =>
  ({ [variable]: host }: Partial<Values>): string | undefined =>
    host === undefined || isHost(host)
      ? undefined
      : 'must be an address or host name such as 127.0.0.1, :: or localhost, without http://, port and brackets';

const checkJwtSecret = ({ JWT_SECRET }: Partial<Values>): string | undefined =>
  JWT_SECRET === undefined || JWT_SECRET.reveal().length >= 32
    ? undefined
    : 'must have at least 32 characters; generate one with `openssl rand -base64 48`';

const checkFileTypes = ({ ALLOWED_FILE_TYPES }: Partial<Values>): string | undefined => {
  const unknown = (ALLOWED_FILE_TYPES ?? []).filter((extension) => !isKnownExtension(extension));
  return unknown.length === 0 ? undefined : `contains unsupported file types: ${unknown.join(', ')}`;
};

const checkLanguage = ({ OCR_LANGUAGE: language, FEATURE_MULTI_LANGUAGE_OCR }: Partial<Values>): string | undefined => {
  if (language === undefined) return undefined;
  const wrong = ocrLanguage.safeParse(language).error?.issues[0];
  if (wrong !== undefined) return wrong.message;
  const mayBeSeveral = FEATURE_MULTI_LANGUAGE_OCR !== false || !language.includes('+');
  return mayBeSeveral ? undefined : 'must be one language while FEATURE_MULTI_LANGUAGE_OCR=false';
};

const NEEDED_BY_CLOUD = 'is required when OCR_ENGINE=cloud';

const checkCloudEndpoint = ({ OCR_ENGINE, CLOUD_OCR_ENDPOINT: endpoint }: Partial<Values>): string | undefined =>
  endpoint === undefined && OCR_ENGINE === 'cloud' ? NEEDED_BY_CLOUD : undefined;

const checkCloudKey = ({ OCR_ENGINE, CLOUD_OCR_KEY: key }: Partial<Values>): string | undefined => {
  if (key === undefined) return OCR_ENGINE === 'cloud' ? NEEDED_BY_CLOUD : undefined;
  return /^[\x21-\x7e]+$/.test(key.reveal()) ? undefined : 'must be a key as shown in the Azure portal, without spaces';
};

const checkNetworks =
  (name: 'OUTBOUND_ALLOWED_NETWORKS' | 'METRICS_ALLOWED_NETWORKS') =>
  (values: Partial<Values>): string | undefined => {
    const wrong = (values[name] ?? []).filter((text) => !isNetwork(text));
    return wrong.length === 0 ? undefined : `must be networks such as 127.0.0.0/8 or fd00::/8; invalid: ${wrong.join(', ')}`;
  };

const CHECKS: Readonly<Record<string, (values: Partial<Values>, raw: RawValues) => string | undefined>> = {
  ...DATABASE_CHECKS,
  DATA_PATH: checkDataPath,
  SERVER_ADDRESS: checkAddress,
  SERVER_HOST: checkHost('SERVER_HOST'),
  PROBE_HOST: checkHost('PROBE_HOST'),
  JWT_SECRET: checkJwtSecret,
  ALLOWED_FILE_TYPES: checkFileTypes,
  OCR_LANGUAGE: checkLanguage,
  CLOUD_OCR_ENDPOINT: checkCloudEndpoint,
  CLOUD_OCR_KEY: checkCloudKey,
  OUTBOUND_ALLOWED_NETWORKS: checkNetworks('OUTBOUND_ALLOWED_NETWORKS'),
  METRICS_ALLOWED_NETWORKS: checkNetworks('METRICS_ALLOWED_NETWORKS'),
  OUTBOUND_CA_FILE: ({ OUTBOUND_CA_FILE }) => wrongFile(OUTBOUND_CA_FILE, parseAuthorities),
  ...DIRECTORY_CHECKS,
  ...FEDERATION_CHECKS,
  ...NOTIFICATION_CHECKS,
  ...PROBE_CHECKS,
  ...RESOURCE_CHECKS,
  ...SURFACE_CHECKS,
  ...SESSION_CHECKS,
  ...SIGN_IN_CHECKS,
  ...STORAGE_CHECKS,
  ...WATCH_CHECKS,
};

/** The names of roles in a value: that of one, or those that groups are mapped to. */
const namesIn = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : typeof value === 'object' && value !== null ? Object.values(value).map(String) : [];

/** Roles that do not exist, by the variables that name them. */
const roleIssues = (values: Partial<Values>): ConfigIssue[] => {
  const result = readRoles(values.ROLES_FILE);
  if (!result.ok) return []; // ROLES_FILE itself is named
  const { roles } = result;
  return (Object.keys(VARIABLES) as VariableName[]).flatMap((variable) => {
    const unknown = VARIABLES[variable].names === 'roles' ? namesIn(values[variable]).filter((name) => !Object.hasOwn(roles, name)) : [];
    if (unknown.length === 0) return [];
    return [{ variable, message: `must name existing roles (${Object.keys(roles).join(', ')}); unknown: ${unknown.join(', ')}` }];
  });
};

/**
 * The rules that a schema of one variable cannot say. Each runs whatever else is wrong, but for variables whose own value is; `raw`
 * tells what was set and what is a default.
 */
export const crossCheck = (values: Partial<Values>, raw: RawValues): ConfigIssue[] => {
  const isWrong = (variable: string): boolean => Object.hasOwn(raw, variable) && !Object.hasOwn(values, variable);
  const issues = Object.entries(CHECKS).flatMap(([variable, check]) => {
    const message = isWrong(variable) ? undefined : check(values, raw);
    return message === undefined ? [] : [{ variable, message }];
  });
  return [...issues, ...roleIssues(values)];
};
