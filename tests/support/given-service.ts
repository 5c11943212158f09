import { makeServiceFolder, openTestDatabase, RunningService, type TestDatabase } from '@sheaf/testkit';

export interface GivenService extends AsyncDisposable {
  readonly folder: string;
  readonly database: TestDatabase;
  readonly environment: Readonly<Record<string, string>>;
  readonly service: RunningService;
  /** Another start on the same folder and database. */
  startAgain(): RunningService;
}

/** Arguments of a start without the watcher and sync, each of which takes a second of CPU time that many tests have no use for. */
export const READING_ALONE: readonly string[] = ['--only', 'api,ocr-worker'];

/** A whole Sheaf on a database and folders of its own; with `args`, a part of it. */
export const givenService = async (env: Readonly<Record<string, string>> = {}, args: readonly string[] = []): Promise<GivenService> => {
  const resources = new AsyncDisposableStack();
  const database = resources.use(await openTestDatabase());
  const folder = resources.use(await makeServiceFolder());
  const environment = { DATABASE_URL: database.url.reveal(), ALLOWED_FILE_TYPES: 'pdf,txt,tiff,png,docx', ...env };
  const start = (): RunningService => resources.use(new RunningService({ folder: folder.path, env: environment, args }));
  return {
    folder: folder.path,
    database,
    environment,
    service: start(),
    startAgain: start,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};
