import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, loadConfig } from '@sheaf/config';
import { SettingsFeed } from '@sheaf/program';
import { makeRegistry, openTracing, type Registry, silentLogger, systemClock } from '@sheaf/runtime';
import { ApiClient, openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { makeApi } from '../../apps/api/src/api.ts';
import { filesBelow } from './files-below.ts';

export interface RunningApi {
  readonly database: TestDatabase;
  readonly folder: string;
  readonly registry: Registry;
  /** Without credentials. */
  readonly anyone: ApiClient;
  readonly admin: ApiClient;
  /** The files below the upload folder, by path. */
  readonly storedFiles: () => Promise<string[]>;
  readonly stop: () => Promise<void>;
}

/** The first one registers himself, unless ADMIN_PASSWORD has made him; without sign-in everybody is one. */
const administrator = async (anyone: ApiClient, { signIn }: Config): Promise<ApiClient> => {
  if (!signIn.enabled) return anyone;
  const { adminPassword } = signIn;
  return adminPassword === undefined ? anyone.register('admin') : anyone.login('admin', adminPassword.reveal());
};

/** The api alone, in this process, on a database and folders of its own, with the administrator `admin`. */
export const startApi = async (environment: Readonly<Record<string, string>> = {}, log = silentLogger()): Promise<RunningApi> => {
  const database = await openTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-api-'));
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
  const feed = new SettingsFeed({ loaded, database, log });
  await feed.readAtStart();
  const { settings } = feed;
  const config = settings.view((current) => current);
  const tracing = await openTracing(config.telemetry.tracing, { name: 'api', instance: 0 }, log);
  const registry = makeRegistry('api');
  const parts = await makeApi({
    config,
    settings,
    feed,
    database,
    log,
    registry,
    tracer: tracing.tracer,
    clock: systemClock,
    ready: async () => ({ status: 'healthy' }),
    health: () => ({}),
  });
  const components = [feed, ...tracing.components, ...parts.components];
  for (const component of components) await component.start();
  const address = parts.probeAddress?.();
  const anyone = new ApiClient(`http://127.0.0.1:${address?.port ?? 0}`);
  return {
    database,
    folder,
    registry,
    anyone,
    admin: await administrator(anyone, config),
    storedFiles: () => filesBelow(join(folder, 'uploads')),
    stop: async () => {
      for (const component of components.toReversed()) await component.stop();
      await database[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
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
