import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Secret } from '@sheaf/contract';
import type { RawValues, Values } from './parse.ts';
import { parseCertificate, readPem, wrongFile } from './regular-file.ts';
import { isHost } from './value-types.ts';

type Check = (values: Partial<Values>, raw: RawValues) => string | undefined;

/** As libpq has them; DATABASE_SSL_MODE has only those of the specification. */
const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];

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

/** As libpq has them. */
const SESSION_TARGETS = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'];

const isPort = (text: string): boolean => /^[0-9]{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;

/** What is wrong with a list of hosts, which no URL parser looks at. */
const wrongHosts = ({ searchParams }: URL): string | undefined => {
  const hosts = searchParams.get('host')?.split(',') ?? [];
  const ports = searchParams.get('port')?.split(',') ?? [];
  if (hosts.some((host) => !host.startsWith('/') && !isHost(host)) || !ports.every(isPort))
    return 'has an invalid host or port; several hosts are written as host1:5432,host2:5432';
  return ports.length > 1 && ports.length !== hosts.length ? 'must have one port, or as many ports as hosts' : undefined;
};

const wrongUrl = (given: Secret | undefined): string | undefined => {
  if (given === undefined) return undefined;
  const text = withHostLists(given.reveal());
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!isDatabaseUrl(url))
    return 'must be a URL such as postgresql://user:password@host:port/database. Percent-encode special characters of the password: / %2F, # %23, ? %3F, @ %40, : %3A, % %25; or set POSTGRES_HOST, POSTGRES_USER, POSTGRES_PASSWORD (not encoded) and POSTGRES_DB instead';
  const mode = url.searchParams.get('sslmode');
  if (mode !== null && !MODES.includes(mode)) return `has an unknown sslmode; valid modes are ${MODES.join(', ')}`;
  const target = url.searchParams.get('target_session_attrs');
  if (target !== null && !SESSION_TARGETS.includes(target))
    return `has an unknown target_session_attrs; valid values are ${SESSION_TARGETS.join(', ')}`;
  for (const [name, parse] of Object.entries(URL_FILES)) {
    const path = url.searchParams.get(name);
    const wrong = path === null || path === 'system' ? undefined : wrongFile(path, parse);
    if (wrong !== undefined) return `${name} ${wrong}`;
  }
  return wrongHosts(url);
};

/** Any of these means a database that someone else runs. */
const EXTERNAL = ['DATABASE_URL', 'POSTGRES_HOST', 'POSTGRES_PORT', 'POSTGRES_DB', 'POSTGRES_USER', 'POSTGRES_PASSWORD'] as const;

const isExternal = (values: Partial<Values>): boolean => EXTERNAL.some((name) => values[name] !== undefined);

const checkDirectUrl: Check = (values) =>
  values.DATABASE_DIRECT_URL !== undefined && !isExternal(values)
    ? 'requires DATABASE_URL, the address of the connection pooler; without a pooler set DATABASE_URL alone'
    : wrongUrl(values.DATABASE_DIRECT_URL);

const checkReadUrl: Check = (values) =>
  values.DATABASE_READ_URL !== undefined && !isExternal(values)
    ? 'requires DATABASE_URL, the address of the primary; the embedded database has no replica'
    : wrongUrl(values.DATABASE_READ_URL);

/** A name that is no host would leave the address at localhost, and papers in a database nobody meant. */
const checkHost: Check = ({ POSTGRES_HOST: host }) =>
  host === undefined || host.startsWith('/') || isHost(host)
    ? undefined
    : 'must be an address or host name such as 127.0.0.1, ::1 or db.example.org, or a socket folder such as /var/run/postgresql; the port is POSTGRES_PORT';

/** The embedded one listens on 127.0.0.1 alone and has no certificate. */
const checkMode: Check = (values) =>
  values.DATABASE_SSL_MODE === 'require' && !isExternal(values)
    ? 'must not be require with the embedded database, which has no TLS; set DATABASE_URL or remove it'
    : undefined;

/** Who lowers the most need not know of the least: where nobody has set it, it goes down with the other. */
const checkLeastConnections: Check = ({ DATABASE_MIN_CONNECTIONS: min, DATABASE_MAX_CONNECTIONS: max }, raw) =>
  min !== undefined && max !== undefined && min > max && raw.DATABASE_MIN_CONNECTIONS?.origin !== 'default'
    ? `is ${min}, more than DATABASE_MAX_CONNECTIONS=${max}; reduce it or increase DATABASE_MAX_CONNECTIONS`
    : undefined;

export const DATABASE_CHECKS: Readonly<Record<string, Check>> = {
  DATABASE_URL: ({ DATABASE_URL }) => wrongUrl(DATABASE_URL),
  DATABASE_DIRECT_URL: checkDirectUrl,
  DATABASE_READ_URL: checkReadUrl,
  POSTGRES_HOST: checkHost,
  DATABASE_MIN_CONNECTIONS: checkLeastConnections,
  DATABASE_SSL_MODE: checkMode,
  DATABASE_SSL_CERT: checkCertificate,
  DATABASE_SSL_KEY: checkKey,
  DATABASE_SSL_ROOT_CERT: ({ DATABASE_SSL_ROOT_CERT }) => wrongFile(DATABASE_SSL_ROOT_CERT, parseCertificate),
};

const PARTS = /^(postgres(?:ql)?:\/\/)([^/?#]*)([^?#]*)\??([^#]*)/;
const DEFAULT_PORT = '5432';

interface HostAndPort {
  readonly host: string;
  readonly port: string;
}

/** The colons of an IPv6 address are within brackets. */
const splitPort = (text: string): HostAndPort => {
  const colon = text.lastIndexOf(':');
  if (colon < 0 || text.endsWith(']')) return { host: text, port: DEFAULT_PORT };
  return { host: text.slice(0, colon), port: text.slice(colon + 1) || DEFAULT_PORT };
};

const withoutBrackets = (host: string): string => (host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host);

/**
 * The URL of a database in a form that URL parsers take: several hosts, such as `h1:5432,h2:5432`, become the parameters `host` and
 * `port`, as libpq has them too. A URL with one host stays as it is.
 */
export const withHostLists = (given: string): string => {
  const [, scheme = '', authority = '', path = '', query = ''] = PARTS.exec(given) ?? [];
  const endOfUser = authority.lastIndexOf('@') + 1;
  const list = authority.slice(endOfUser);
  if (!list.includes(',')) return given;
  const servers = list.split(',').map(splitPort);
  const parameters = new URLSearchParams(query);
  parameters.set('host', servers.map(({ host }) => withoutBrackets(host)).join(','));
  parameters.set('port', servers.map(({ port }) => port).join(','));
  return `${scheme}${authority.slice(0, endOfUser)}${servers[0]?.host}:${servers[0]?.port}${path}?${parameters}`;
};
