import type { Values } from './parse.ts';
import { isNetwork } from './value-types.ts';

const PATH_VARIABLES = ['HEALTH_CHECK_PATH', 'READY_CHECK_PATH', 'METRICS_PATH'] as const;
/** What the service answers by itself; nothing else may stand there or below. */
const TAKEN = ['/api', '/ws', '/socket.io', '/status'];

const isTaken = (path: string): boolean => TAKEN.some((taken) => path === taken || path.startsWith(`${taken}/`));

const checkPath =
  (variable: (typeof PATH_VARIABLES)[number]): Check =>
  (values) => {
    const path = values[variable];
    if (path === undefined) return undefined;
    if (!/^(\/[A-Za-z0-9._~-]+)+$/.test(path)) return 'must be a path such as /health, of letters, digits and . _ ~ -';
    if (isTaken(path)) return `must not be ${path}: ${TAKEN.join(', ')} and paths below them are reserved`;
    const same = PATH_VARIABLES.find((other) => other !== variable && values[other] === path);
    return same === undefined ? undefined : `must not be ${path}, which ${same} uses; choose different paths`;
  };

const checkExporter: Check = ({ EXPORTER_ENABLED, METRICS_ENABLED }) =>
  EXPORTER_ENABLED === true && METRICS_ENABLED === false ? 'requires METRICS_ENABLED=true' : undefined;

const EVERY_ADDRESS = ['0.0.0.0', '::', '[::]'];

const mayMeet = (host: string | undefined, other: string | undefined): boolean =>
  host === other || EVERY_ADDRESS.some((every) => every === host || every === other);

/** The address of the api, as far as it can be known: what is wrong with SERVER_ADDRESS is reported under that variable. */
const apiAddress = ({
  SERVER_ADDRESS,
  SERVER_HOST,
  SERVER_PORT,
}: Partial<Values>): { host: string | undefined; port: number | undefined } => {
  if (SERVER_ADDRESS === undefined) return { host: SERVER_HOST, port: SERVER_PORT };
  const colon = SERVER_ADDRESS.lastIndexOf(':');
  return { host: SERVER_ADDRESS.slice(0, colon), port: Number(SERVER_ADDRESS.slice(colon + 1)) };
};

/** supervisor, watcher, sync, and the first ocr-worker. */
const PROBE_OFFSETS = [0, 10, 20];
const FIRST_WORKER = 30;

const probePorts = ({ PROBE_PORT_BASE: base, OCR_WORKER_PROCESSES: workers = 1 }: Partial<Values>): number[] =>
  base === undefined || base === 0
    ? []
    : [...PROBE_OFFSETS, ...Array.from({ length: workers }, (_, number) => FIRST_WORKER + number)].map((offset) => base + offset);

const apiVariable = ({ SERVER_ADDRESS }: Partial<Values>): string => (SERVER_ADDRESS === undefined ? 'SERVER_PORT' : 'SERVER_ADDRESS');

/** The supervisor comes first and would leave the api none; the other processes come later, and take the next free port. */
const checkSupervisorPort: Check = (values) => {
  const { PROBE_PORT_BASE: port, PROBE_HOST } = values;
  const api = apiAddress(values);
  return port !== undefined && port !== 0 && port === api.port && mayMeet(api.host, PROBE_HOST)
    ? `must not be ${port}, the port of the api (${apiVariable(values)}); change one of them`
    : undefined;
};

/** The process that comes second would end with the port taken, or take the exporter's and leave it none. */
const checkExporterPort: Check = (values) => {
  const { EXPORTER_ENABLED, EXPORTER_PORT: port, PROBE_HOST, PROBE_PORT_BASE } = values;
  if (EXPORTER_ENABLED !== true || port === undefined || port === 0) return undefined;
  const api = apiAddress(values);
  if (port === api.port && mayMeet(api.host, PROBE_HOST))
    return `must not be ${port}, the port of the api (${apiVariable(values)}); change one of them`;
  return probePorts(values).includes(port)
    ? `must not be ${port}, a probe port (PROBE_PORT_BASE=${PROBE_PORT_BASE ?? 0} and above); choose another port such as 9090`
    : undefined;
};

export const PROBE_CHECKS: Readonly<Record<string, Check>> = {
  HEALTH_CHECK_PATH: checkPath('HEALTH_CHECK_PATH'),
  READY_CHECK_PATH: checkPath('READY_CHECK_PATH'),
  METRICS_PATH: checkPath('METRICS_PATH'),
  EXPORTER_ENABLED: checkExporter,
  EXPORTER_PORT: checkExporterPort,
  PROBE_PORT_BASE: checkSupervisorPort,
};

type Check = (values: Partial<Values>) => string | undefined;

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Browsers send the scheme and the host, and the port where it is not the usual one; anything else would never match. */
const isOrigin = (text: string): boolean => {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s*]+$/i.test(text) || !URL.canParse(text)) return false;
  const { protocol, origin } = new URL(text);
  return !/^https?:$/.test(protocol) || origin === text.toLowerCase();
};

const checkOrigins: Check = ({ CORS_ALLOWED_ORIGINS: origins }) => {
  if (origins === undefined) return undefined;
  if (origins.includes('*')) return origins.length === 1 ? undefined : 'must be either * or a list of origins, not both';
  const wrong = origins.filter((origin) => !isOrigin(origin));
  return wrong.length === 0
    ? undefined
    : `must be origins as browsers send them, such as https://app.example.org or http://localhost:3000, without path, trailing slash or default port; invalid: ${wrong.join(', ')}`;
};

const checkMethods: Check = ({ CORS_ALLOWED_METHODS: methods }) => {
  const wrong = (methods ?? []).filter((method) => !METHODS.includes(method.toUpperCase()));
  return wrong.length === 0 ? undefined : `can contain ${METHODS.join(', ')}; invalid: ${wrong.join(', ')}`;
};

const checkHeaders: Check = ({ CORS_ALLOWED_HEADERS: headers }) => {
  const wrong = (headers ?? []).filter((header) => !/^[\w!#$%&'*+.^`|~-]+$/.test(header));
  return wrong.length === 0 ? undefined : `must be header names, comma-separated, or *; invalid: ${wrong.join(', ')}`;
};

const checkProxies: Check = ({ TRUSTED_PROXIES: proxies }) => {
  const wrong = (proxies ?? []).filter((text) => !isNetwork(text));
  if (wrong.length > 0) return `must be addresses or networks such as 10.0.0.5 or 172.16.0.0/12; invalid: ${wrong.join(', ')}`;
  const open = (proxies ?? []).filter((text) => text.endsWith('/0'));
  return open.length === 0 ? undefined : `must list the proxies; ${open.join(', ')} would let every client forge its address`;
};

const checkPolicy: Check = ({ SECURITY_CSP: policy }) => {
  if (policy === undefined) return undefined;
  if (!/^[\x20-\x7e]+$/.test(policy) || policy.includes(',')) return 'must be one line of ASCII with directives separated by ;';
  const directives = policy.split(';').map((directive) => directive.trim());
  const wrong = directives.filter((directive) => directive !== '' && !/^[a-z]+(-[a-z]+)*( |$)/i.test(directive));
  return wrong.length === 0
    ? undefined
    : `must be directives such as default-src 'self'; img-src 'self' data:; invalid: ${wrong.join('; ')}`;
};

/** Checks of the variables that the surface of the api is made from. */
export const SURFACE_CHECKS: Readonly<Record<string, Check>> = {
  CORS_ALLOWED_ORIGINS: checkOrigins,
  CORS_ALLOWED_METHODS: checkMethods,
  CORS_ALLOWED_HEADERS: checkHeaders,
  TRUSTED_PROXIES: checkProxies,
  SECURITY_CSP: checkPolicy,
};
