import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { Secret } from '@sheaf/contract';
import { makeProblem } from '@sheaf/contract/operations';
import { FatalError } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import type { ClientConfig } from 'pg';
import { Servers } from './servers.ts';

/** Settings of a connection that a URL may leave open. */
export interface ConnectionDefaults {
  readonly tls: {
    readonly mode: string;
    readonly certificateFile: string | undefined;
    readonly keyFile: string | undefined;
    readonly rootCertificateFile: string | undefined;
  };
  readonly connectTimeoutMs: number;
}

export interface ConnectionPlan {
  /** What pg takes, whichever server it is. */
  readonly options: ClientConfig;
  readonly servers: Servers;
  /** Whether a server without TLS may be spoken to without it. */
  readonly mayBePlain: boolean;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** An idle connection asks after so long whether its server is still there; without an answer it is lost ten seconds later. */
const KEEPALIVE_MS = 5_000;

/** `ssl`, as libpq does not have it but pg and others do. */
const SSL_SYNONYMS: Readonly<Record<string, string>> = { '0': 'disable', false: 'disable' };

/**
 * The URL with everything that a connection needs to be made, in the parameters that libpq has for it (`sslmode`, `sslcert`, `sslkey`,
 * `sslrootcert`, `connect_timeout`). What the URL says itself goes before `defaults`.
 */
export const completeDatabaseUrl = (given: Secret, { tls, connectTimeoutMs }: ConnectionDefaults): Secret => {
  const url = new URL(given.reveal());
  const parameters = url.searchParams;
  const ssl = parameters.get('ssl');
  parameters.delete('ssl');
  const wanted = {
    sslmode: ssl === null ? tls.mode : (SSL_SYNONYMS[ssl] ?? 'require'),
    sslcert: tls.certificateFile,
    sslkey: tls.keyFile,
    sslrootcert: tls.rootCertificateFile,
    connect_timeout: String(Math.ceil(connectTimeoutMs / 1_000)),
  };
  for (const [name, value] of Object.entries(wanted)) if (value !== undefined && !parameters.has(name)) parameters.set(name, value);
  return new Secret(url.href);
};

const read = (file: string | null): Buffer | undefined => {
  if (file === null) return undefined;
  try {
    return readFileSync(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new FatalError(makeProblem('database_certificate_unreadable', { error: reason }), EXIT.configuration, error);
  }
};

/** With an authority its word counts, and the name of the server too; without one the connection is only encrypted. */
const tlsOptions = (mode: string, parameters: URLSearchParams): ConnectionOptions => {
  const root = parameters.get('sslrootcert');
  const ca = root === 'system' ? undefined : read(root);
  const [cert, key] = [read(parameters.get('sslcert')), read(parameters.get('sslkey'))];
  return {
    rejectUnauthorized: root !== null || mode.startsWith('verify-'),
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
    ...(mode === 'verify-ca' && { checkServerIdentity: () => undefined }),
  };
};

const OURS = ['sslmode', 'sslcert', 'sslkey', 'sslrootcert', 'connect_timeout'];

/**
 * How to connect to a URL that `completeDatabaseUrl` has made; without TLS where it says nothing of it. Reads the files that the URL
 * names; throws a FatalError with exit code 78 where it cannot.
 */
export const planConnection = (given: Secret): ConnectionPlan => {
  const url = new URL(given.reveal());
  const parameters = new URLSearchParams(url.search);
  for (const name of OURS) url.searchParams.delete(name); // pg has its own ideas of them
  const mode = parameters.get('sslmode') ?? 'disable';
  const connectSeconds = Number(parameters.get('connect_timeout') ?? 0);
  return {
    options: {
      connectionTimeoutMillis: connectSeconds > 0 ? connectSeconds * 1_000 : CONNECT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEPALIVE_MS,
      ssl: mode === 'disable' ? false : tlsOptions(mode, parameters),
    },
    servers: new Servers(url),
    mayBePlain: mode === 'prefer' || mode === 'allow',
  };
};
