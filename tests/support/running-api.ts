import { join } from 'node:path';
import type { Config } from '@sheaf/config';
import { type Logger, type Registry, silentLogger } from '@sheaf/process';
import { ApiClient, openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { startComposedApi } from './composed-api.ts';
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

/** The first one registers themselves, unless ADMIN_PASSWORD has made them; without sign-in everybody is one. */
const administrator = async (anyone: ApiClient, { signIn }: Config): Promise<ApiClient> => {
  if (!signIn.enabled) return anyone;
  const { adminPassword } = signIn;
  return adminPassword === undefined ? anyone.register('admin') : anyone.login('admin', adminPassword.reveal());
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
