import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Authenticator,
  type AuthenticatorParts,
  HttpServer,
  jsonRoute,
  makeApp,
  openRequestRecord,
  RateLimit,
  type Route,
  streamRoute,
} from '@sheaf/api/testing';
import { type Config, loadConfig } from '@sheaf/config';
import { LiveValue, makeRegistry, select, silentLogger, systemClock } from '@sheaf/process';
import { NO_TRACER } from '@sheaf/process/tracing';
import { BUILT_IN_ROLES, type Credential, type Principal } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { readsWithoutDatabase } from './reads-without-database.ts';

const done = z.strictObject({ done: z.boolean() });

const get = (path: string, access: 'anyone' | 'anyone-known' | 'signed-in' | 'audit.view', handle = async () => ({ done: true })): Route =>
  jsonRoute({ method: 'get', path, access, summary: path, status: 200, response: done, handle });

const probe = (path: string): Route => ({ ...get(path, 'anyone'), isProbe: true });

/** One route of each kind that the surface treats in its own way. */
const ROUTES: readonly Route[] = [
  probe('/health'),
  probe('/ready'),
  probe('/metrics'),
  probe('/status'),
  probe('/api/health'),
  probe('/api/health/auth/oidc'),
  get('/api/open', 'anyone'),
  get('/api/known', 'anyone-known'),
  get('/api/own', 'signed-in'),
  get('/api/audit', 'audit.view'),
  get('/page', 'anyone'),
  get('/api/broken', 'anyone', () => Promise.reject(new Error('broken on purpose'))),
  ...['/api/documents/upload', '/api/documents/bulk-upload'].map((path) =>
    jsonRoute({
      method: 'post',
      path,
      access: 'documents.create',
      countsAs: 'upload',
      summary: path,
      status: 201,
      response: done,
      handle: async () => ({ done: true }),
    }),
  ),
  jsonRoute({
    method: 'get',
    path: '/api/address',
    access: 'anyone',
    summary: 'where the request comes from',
    status: 200,
    response: z.strictObject({ address: z.string().optional() }),
    handle: async ({ context }) => ({ address: context.address }),
  }),
  streamRoute({
    method: 'get',
    path: '/api/file',
    access: 'anyone',
    summary: 'sets headers of its own',
    stream: async (_input, { response }) => {
      response.setHeader('Content-Security-Policy', 'sandbox');
      response.setHeader('Cache-Control', 'private, no-cache');
      response.status(200).send('a file');
    },
  }),
];

const principalOf = (name: string, via: Credential): Principal => ({
  userId: name,
  username: name,
  role: 'editor',
  permissions: BUILT_IN_ROLES.editor,
  via,
});

/** Takes `Bearer <user>` and `Bearer <user>.<credential>`; every other credential is wrong. */
const principalFrom = (given: unknown): Principal | undefined => {
  const [, name, via = 'token'] = /Bearer (ann|bob|nobody)(?:\.(key|cookie|disabled-auth))?"/.exec(JSON.stringify(given) ?? '') ?? [];
  return name === undefined ? undefined : principalOf(name, via as Credential);
};

export interface Surface extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** For a change while it runs. */
  readonly settings: LiveValue<Config>;
  readonly get: (path: string, headers?: Readonly<Record<string, string>>, method?: string) => Promise<Response>;
}

/** The chain of app.ts before a few routes of its own, with a sign-in that believes what it is told: the surface alone. */
export const startSurface = async (environment: Readonly<Record<string, string>> = {}): Promise<Surface> => {
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-surface-'));
  const { config } = loadConfig({
    environment: { DATA_PATH: folder, UPLOAD_PATH: join(folder, 'uploads'), SERVER_ADDRESS: '127.0.0.1:0', ...environment },
  });
  const settings = new LiveValue(config);
  const rateLimit = new RateLimit(select(settings, (current) => current.rateLimit));
  // there is no database behind it
  const identity = {
    needsLookup: () => false,
    authenticate: async (given: unknown) => principalFrom(given),
  } as unknown as AuthenticatorParts['identity'];
  const log = silentLogger();
  const app = makeApp(
    { routes: ROUTES },
    {
      config,
      authenticator: new Authenticator({ identity, rateLimit, config }),
      rateLimit,
      reads: readsWithoutDatabase(config),
      tracer: NO_TRACER,
      record: openRequestRecord(log, makeRegistry('api')),
      log,
      clock: systemClock,
    },
  );
  const server = new HttpServer(app, config.server);
  await server.start();
  const { port } = server.address();
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    port,
    settings,
    get: async (path, headers = {}, method = 'GET') => {
      const response = await fetch(`${url}${path}`, { method, headers: { ...headers } });
      await response.clone().arrayBuffer();
      return response;
    },
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
