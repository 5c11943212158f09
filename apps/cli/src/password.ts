import { parseArgs } from 'node:util';
import { loadConfig } from '@sheaf/config';
import { EXIT } from '@sheaf/contract';
import { type Db, findUserByName, makeAudit, openDatabase, type User } from '@sheaf/db';
import { GivenPassword, RedisSessionStore, Sessions } from '@sheaf/identity';
import { FatalError, makeLogger, systemClock } from '@sheaf/runtime';
import { exitCodeOf, reasonOf } from './failure.ts';
import { makePassword } from './make-password.ts';
import { openDatabaseForTool } from './open-database.ts';
import { requireSchema } from './require-schema.ts';

const USAGE = `usage: sheaf password USERNAME

  Gives a user a new password who has lost his, also the only administrator, and prints it. All his sessions end; his second factors
  stay. A lock after failed sign-ins stays until it is over. May be run while the service runs.

  Exit codes: 0 done; 1 it failed; 2 wrong usage; 78 configuration error.
`;

/** Reads the command line: the name, or that help is wanted; undefined when it is not one of ours. */
const parse = (argv: readonly string[]): { readonly username: string } | 'help' | undefined => {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options: { help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
    const [username, ...rest] = positionals;
    if (values.help === true) return 'help';
    return username === undefined || rest.length > 0 ? undefined : { username };
  } catch {
    return undefined; // an unknown flag
  }
};

const getUser = async (db: Db, username: string): Promise<User> => {
  const user = await findUserByName(db, username);
  if (user === undefined) throw new FatalError(`unknown user ${username}`);
  return user;
};

const givePassword = async (username: string): Promise<string> => {
  const { config } = loadConfig();
  const { signIn, sessions: settings, notifications } = config;
  const log = makeLogger({ ...config.log, level: 'warn' }, 'cli');
  await using scope = new AsyncDisposableStack();
  const place = scope.use(await openDatabaseForTool(config));
  const database = openDatabase(
    { ...config.database, url: place.url, maxConnections: 2, minConnections: 0, applicationName: 'sheaf password' },
    log,
  );
  scope.defer(() => database.close());
  await requireSchema(database);
  const { db } = database;
  const browserStore = settings.storeUrl && new RedisSessionStore(settings.storeUrl, log);
  await browserStore?.start();
  scope.defer(async () => browserStore?.stop());
  const audit = makeAudit(notifications.policy);
  const forget = (): void => {}; // the api hears of it from the database
  const sessions = new Sessions({ db, clock: systemClock, settings, browserStore, forget, audit });
  const endAll = async (tx: Db, userId: string): Promise<void> => void (await sessions.endAll(tx, userId));
  const given = new GivenPassword({ db, clock: systemClock, sessions: { endAll, forget }, passwordPolicy: signIn.passwordPolicy, audit });
  const password = makePassword(signIn.passwordPolicy, await getUser(db, username));
  await given.give((tx) => getUser(tx, username), password, { by: 'command' });
  return password;
};

const parsed = parse(process.argv.slice(2));
if (parsed === undefined) {
  process.stderr.write(USAGE);
  process.exitCode = EXIT.usage;
} else if (parsed === 'help') {
  process.stdout.write(USAGE);
} else {
  try {
    console.log(await givePassword(parsed.username));
  } catch (error) {
    process.stderr.write(`sheaf password: ${reasonOf(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}
