import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { RawValues } from './layers.ts';
import { isHost } from './network.ts';
import type { Values } from './parse.ts';
import { readRegularFile } from './regular-file.ts';

type Check = (values: Partial<Values>, raw: RawValues) => string | undefined;

/** As libpq has them; DATABASE_SSL_MODE has only those of the specification. */
const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];

/** Certificates of all authorities of a system together have a quarter of it. */
const MAX_BYTES = 1024 * 1024;

const readPem = (path: string): Buffer => readRegularFile(path, MAX_BYTES);

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What is wrong with the file, by `parse` or because it cannot be read. */
const wrongFile = (path: string | undefined, parse: (pem: Buffer) => unknown): string | undefined => {
  if (path === undefined) return undefined;
  let pem: Buffer;
  try {
    pem = readPem(path);
  } catch (error) {
    return `names a file that cannot be read: ${reasonOf(error)}`;
  }
  try {
    parse(pem);
    return undefined;
  } catch (error) {
    return `names a file that is not valid PEM without a passphrase: ${path}: ${reasonOf(error)}`;
  }
};

const parseCertificate = (pem: Buffer): X509Certificate => new X509Certificate(pem);

const checkCertificate: Check = ({ DATABASE_SSL_CERT: path, DATABASE_SSL_KEY }) =>
  path !== undefined && DATABASE_SSL_KEY === undefined ? 'requires DATABASE_SSL_KEY' : wrongFile(path, parseCertificate);

const checkKey: Check = ({ DATABASE_SSL_CERT, DATABASE_SSL_KEY: path }) => {
  if (path === undefined) return undefined;
  if (DATABASE_SSL_CERT === undefined) return 'requires DATABASE_SSL_CERT';
  const wrong = wrongFile(path, createPrivateKey);
  if (wrong !== undefined || wrongFile(DATABASE_SSL_CERT, parseCertificate) !== undefined) return wrong;
  const certificate = new X509Certificate(readPem(DATABASE_SSL_CERT));
  return certificate.checkPrivateKey(createPrivateKey(readPem(path))) ? undefined : 'does not match DATABASE_SSL_CERT';
};

const URL_FILES: Readonly<Record<string, (pem: Buffer) => unknown>> = {
  sslcert: parseCertificate,
  sslkey: createPrivateKey,
  sslrootcert: parseCertificate,
};

const isDecodable = (text: string): boolean => {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
};

/** A password with a / of its own ends the host early: what follows it, the real host too, looks like the name of a database. */
const isDatabaseUrl = (url: URL | undefined): url is URL =>
  url !== undefined &&
  /^postgres(ql)?:$/.test(url.protocol) &&
  url.pathname.length > 1 &&
  !url.pathname
    .split('@')
    .slice(1)
    .some((part) => part.includes('/')) &&
  [url.username, url.password, url.pathname].every(isDecodable);

const checkUrl: Check = ({ DATABASE_URL }) => {
  if (DATABASE_URL === undefined) return undefined;
  const url = URL.canParse(DATABASE_URL.reveal()) ? new URL(DATABASE_URL.reveal()) : undefined;
  if (!isDatabaseUrl(url))
    return 'must be a URL such as postgresql://user:password@host:port/database. Percent-encode special characters of the password: / %2F, # %23, ? %3F, @ %40, : %3A, % %25; or set POSTGRES_HOST, POSTGRES_USER, POSTGRES_PASSWORD (not encoded) and POSTGRES_DB instead';
  const mode = url.searchParams.get('sslmode');
  if (mode !== null && !MODES.includes(mode)) return `has an unknown sslmode; valid modes are ${MODES.join(', ')}`;
  for (const [name, parse] of Object.entries(URL_FILES)) {
    const path = url.searchParams.get(name);
    const wrong = path === null || path === 'system' ? undefined : wrongFile(path, parse);
    if (wrong !== undefined) return `${name} ${wrong}`;
  }
  return undefined;
};

/** A name that is no host would leave the address at localhost, and papers in a database nobody meant. */
const checkHost: Check = ({ POSTGRES_HOST: host }) =>
  host === undefined || host.startsWith('/') || isHost(host)
    ? undefined
    : 'must be an address or host name such as 127.0.0.1, ::1 or db.example.org, or a socket folder such as /var/run/postgresql; the port is POSTGRES_PORT';

/** The embedded one listens on 127.0.0.1 alone and has no certificate. */
const checkMode: Check = ({
  DATABASE_SSL_MODE,
  DATABASE_URL,
  POSTGRES_HOST,
  POSTGRES_PORT,
  POSTGRES_DB,
  POSTGRES_USER,
  POSTGRES_PASSWORD,
}) => {
  const named = [DATABASE_URL, POSTGRES_HOST, POSTGRES_PORT, POSTGRES_DB, POSTGRES_USER, POSTGRES_PASSWORD];
  return DATABASE_SSL_MODE === 'require' && named.every((value) => value === undefined)
    ? 'must not be require with the embedded database, which has no TLS; set DATABASE_URL or remove it'
    : undefined;
};

/** Who lowers the most need not know of the least: where nobody has set it, it goes down with the other. */
const checkLeastConnections: Check = ({ DATABASE_MIN_CONNECTIONS: min, DATABASE_MAX_CONNECTIONS: max }, raw) =>
  min !== undefined && max !== undefined && min > max && raw.DATABASE_MIN_CONNECTIONS?.origin !== 'default'
    ? `is ${min}, more than DATABASE_MAX_CONNECTIONS=${max}; reduce it or increase DATABASE_MAX_CONNECTIONS`
    : undefined;

export const DATABASE_CHECKS: Readonly<Record<string, Check>> = {
  DATABASE_URL: checkUrl,
  POSTGRES_HOST: checkHost,
  DATABASE_MIN_CONNECTIONS: checkLeastConnections,
  DATABASE_SSL_MODE: checkMode,
  DATABASE_SSL_CERT: checkCertificate,
  DATABASE_SSL_KEY: checkKey,
  DATABASE_SSL_ROOT_CERT: ({ DATABASE_SSL_ROOT_CERT }) => wrongFile(DATABASE_SSL_ROOT_CERT, parseCertificate),
};
