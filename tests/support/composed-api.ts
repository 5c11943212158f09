import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ComposeOptions, composeApi, makeStartImportProgram } from '@sheaf/api/testing';
import { type Config, loadConfig } from '@sheaf/config';
import type { Database } from '@sheaf/db';
import { type Logger, makeRegistry, type Registry, systemClock, uuidv7 } from '@sheaf/process';
import { openTracing } from '@sheaf/process/tracing';
import { SettingsFeed } from '@sheaf/program';
import { CODE_CACHE_ENVIRONMENT } from '@sheaf/testkit';

interface ComposedApi {
  readonly config: Config;
  readonly folder: string;
  readonly registry: Registry;
  readonly port: number;
  /** What is printed at start for the person who started it. */
  readonly notices: () => Promise<readonly string[]>;
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
  const whole = {
    DATA_PATH: join(folder, 'data'),
    UPLOAD_PATH: join(folder, 'uploads'),
    WATCH_FOLDER: join(folder, 'watch'),
    USER_WATCH_BASE_DIR: join(folder, 'user_watch'),
    PROCESSED_FILES_DIR: join(folder, 'processed'),
    SERVER_ADDRESS: '127.0.0.1:0',
    RATE_LIMIT_ENABLED: 'false', // a test makes more requests in a minute than a person does
    ...environment,
  };
  const loaded = loadConfig({ environment: whole });
  const settings = new SettingsFeed({ loaded, database, log });
  await settings.readAtStart();
  const config = settings.current();
  const tracing = await openTracing(config.telemetry.tracing, { name: 'api', instance: 0 }, log);
  const registry = makeRegistry('api');
  const parts = await composeApi(
    {
      self: { id: uuidv7(), ready: async () => ({ status: 'healthy' }) },
      config,
      settings,
      database,
      log,
      registry,
      tracer: tracing.tracer,
      clock: systemClock,
    },
    {
      startImport: makeStartImportProgram({
        PATH: process.env['PATH'],
        ...CODE_CACHE_ENVIRONMENT,
        DATABASE_URL: database.url.reveal(),
        ...whole,
      }),
      ...options,
    },
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
      // a picture that was being drawn may still come to be
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};
