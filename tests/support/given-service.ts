import { makeServiceFolder, openTestDatabase, RunningService, type TestDatabase } from '@sheaf/testkit';

export interface GivenService extends AsyncDisposable {
  readonly folder: string;
  readonly database: TestDatabase;
  readonly environment: Readonly<Record<string, string>>;
  readonly service: RunningService;
  /** Another start on the same folder and database. */
  startAgain(): RunningService;
}

/** A whole Sheaf on a database and folders of its own. */
export const givenService = async (env: Readonly<Record<string, string>> = {}): Promise<GivenService> => {
  const resources = new AsyncDisposableStack();
  const database = resources.use(await openTestDatabase());
  const folder = resources.use(await makeServiceFolder());
  const environment = { DATABASE_URL: database.url.reveal(), ALLOWED_FILE_TYPES: 'pdf,txt,tiff,png,docx', ...env };
  const start = (): RunningService => resources.use(new RunningService({ folder: folder.path, env: environment }));
  return {
    folder: folder.path,
    database,
    environment,
    service: start(),
    startAgain: start,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};
