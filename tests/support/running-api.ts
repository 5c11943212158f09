import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, loadConfig } from '@sheaf/config';
import type { Database } from '@sheaf/db';
import { type Logger, makeRegistry, openTracing, type Registry, silentLogger, systemClock } from '@sheaf/process';
import { SettingsFeed } from '@sheaf/program';
import { ApiClient, openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { type ComposeOptions, composeApi } from '../../apps/api/src/compose.ts';
import { filesBelow } from './files-below.ts';

/** An api whose database has no users. */
export interface EmptyApi {
  readonly database: TestDatabase;
  readonly folder: string;
  readonly registry: Registry;
  /** Without credentials. */
  readonly anyone: ApiClient;
  /** The files below the upload folder, by path. */
  readonly storedFiles: () => Promise<string[]>;
  /** What is printed at start for the person who started it. */
  readonly notices: () => Promise<readonly string[]>;
  readonly stop: () => Promise<void>;
}

export interface RunningApi extends EmptyApi {
  readonly admin: ApiClient;
}

/** The first one registers himself, unless ADMIN_PASSWORD has made him; without sign-in everybody is one. */
const administrator = async (anyone: ApiClient, { signIn }: Config): Promise<ApiClient> => {
  if (!signIn.enabled) return anyone;
  const { adminPassword } = signIn;
  return adminPassword === undefined ? anyone.register('admin') : anyone.login('admin', adminPassword.reveal());
};

interface ComposedApi {
  readonly config: Config;
  readonly folder: string;
  readonly registry: Registry;
  readonly port: number;
  readonly notices: EmptyApi['notices'];
  readonly stop: () => Promise<void>;
}

/** The api as its program composes it, started on `database` and on folders of its own. */
export const startComposedApi = async (
  database: Database,
  environment: Readonly<Record<string, string>>,
  log: Logger,
  options: ComposeOptions = {},
): Promise<ComposedApi> => {
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-api-'));
  // where another api has stored documents of this database, an empty storage would be taken for one that has vanished
  await mkdir(join(folder, 'uploads/documents'), { recursive: true });
  const loaded = loadConfig({
    environment: {
      DATA_PATH: join(folder, 'data'),
      UPLOAD_PATH: join(folder, 'uploads'),
      WATCH_FOLDER: join(folder, 'watch'),
      USER_WATCH_BASE_DIR: join(folder, 'user_watch'),
      PROCESSED_FILES_DIR: join(folder, 'processed'),
      SERVER_ADDRESS: '127.0.0.1:0',
      RATE_LIMIT_ENABLED: 'false', // a test makes more requests in a minute than a person does
      ...environment,
    },
  });
  const settings = new SettingsFeed({ loaded, database, log });
  await settings.readAtStart();
  const config = settings.current();
  const tracing = await openTracing(config.telemetry.tracing, { name: 'api', instance: 0 }, log);
  const registry = makeRegistry('api');
  const parts = await composeApi(
    {
      config,
      settings,
      database,
      log,
      registry,
      tracer: tracing.tracer,
      clock: systemClock,
      ready: async () => ({ status: 'healthy' }),
    },
    options,
  );
  const components = [settings, ...tracing.components, ...parts.components];
  for (const component of components) await component.start();
  return {
    config,
    folder,
    registry,
    port: parts.probeAddress?.().port ?? 0,
    notices: async () => (await parts.notices?.()) ?? [],
    stop: async () => {
      for (const component of components.toReversed()) await component.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const start = async (environment: Readonly<Record<string, string>>, log: Logger): Promise<EmptyApi & { readonly config: Config }> => {
  const database = await openTestDatabase();
  const { config, folder, registry, port, notices, stop } = await startComposedApi(database, environment, log);
  return {
    config,
    database,
    folder,
    registry,
    anyone: new ApiClient(`http://127.0.0.1:${port}`),
    notices,
    storedFiles: () => filesBelow(join(folder, 'uploads')),
    stop: async () => {
      await stop();
      await database[Symbol.asyncDispose]();
    },
  };
};

/** The api alone, in this process, on a database and folders of its own; nobody has registered yet. */
export const startEmptyApi = (environment: Readonly<Record<string, string>> = {}, log = silentLogger()): Promise<EmptyApi> =>
  start(environment, log);

/** The same with the administrator `admin`. */
export const startApi = async (environment: Readonly<Record<string, string>> = {}, log = silentLogger()): Promise<RunningApi> => {
  const { config, ...api } = await start(environment, log);
  return { ...api, admin: await administrator(api.anyone, config) };
};

/** A test of one file that shares an api; `environment` is what it is started with. */
export const testWithApi = (environment: Readonly<Record<string, string>> = {}): TestFn<RunningApi> => {
  const test = anyTest as TestFn<RunningApi>;
  let api: RunningApi | undefined;
  test.before(async () => {
    api = await startApi(environment);
  });
  test.beforeEach((t) => {
    if (api === undefined) throw new Error('the api did not start');
    t.context = api;
  });
  test.after.always(() => api?.stop());
  return test;
};
