import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@sheaf/config';
import { BUILT_IN_ROLES, type Credential, type Principal } from '@sheaf/contract';
import { LiveSettings } from '@sheaf/program';
import { makeRegistry, NO_TRACER, silentLogger, systemClock } from '@sheaf/runtime';
import { z } from 'zod';
import { makeApp } from '../../apps/api/src/app.ts';
import type { ApiDeps } from '../../apps/api/src/deps.ts';
import { makeRateLimit } from '../../apps/api/src/http/rate-limit.ts';
import { jsonRoute, type Route, streamRoute } from '../../apps/api/src/http/route.ts';
import { HttpServer } from '../../apps/api/src/http/server.ts';

const done = z.strictObject({ done: z.boolean() });

const get = (path: string, access: 'anyone' | 'anyone-known' | 'signed-in' | 'audit.view', handle = async () => ({ done: true })): Route =>
  jsonRoute({ method: 'get', path, access, summary: path, status: 200, response: done, handle });

/** One route of each kind that the surface treats in its own way. */
const ROUTES: readonly Route[] = [
  get('/health', 'anyone'),
  get('/ready', 'anyone'),
  get('/metrics', 'anyone'),
  get('/status', 'anyone'),
  get('/api/health', 'anyone'),
  get('/api/health/auth/oidc', 'anyone'),
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
    handle: async ({ facts }) => ({ address: facts.address }),
  }),
  streamRoute({
    method: 'get',
    path: '/api/file',
    access: 'anyone',
    summary: 'sets headers of its own',
    stream: async (_input, _deps, { response }) => {
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
  readonly settings: LiveSettings;
  readonly get: (path: string, headers?: Readonly<Record<string, string>>, method?: string) => Promise<Response>;
}

/** The chain of app.ts before a few routes of its own, with a sign-in that believes what it is told: the surface alone. */
export const startSurface = async (environment: Readonly<Record<string, string>> = {}): Promise<Surface> => {
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-surface-'));
  const { config } = loadConfig({
    environment: { DATA_PATH: folder, UPLOAD_PATH: join(folder, 'uploads'), SERVER_ADDRESS: '127.0.0.1:0', ...environment },
  });
  const settings = new LiveSettings(config);
  const rateLimit = makeRateLimit(settings.view((current) => current));
  // what these routes do not use is left out: there is no database behind them
  const deps = {
    config,
    rateLimit,
    identity: { needsLookup: () => false, authenticate: async (given: unknown) => principalFrom(given) },
    log: silentLogger(),
    clock: systemClock,
    registry: makeRegistry('api'),
    tracer: NO_TRACER,
  } as unknown as ApiDeps;
  const server = new HttpServer(makeApp(ROUTES, deps), config.server);
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
