import { randomInt } from 'node:crypto';
import { GivenPassword, type PasswordPolicy, passwordFaults, RedisSessionStore, Sessions } from '@sheaf/accounts';
import { findUserByName, makeAudit } from '@sheaf/accounts/users';
import { loadForCommand } from '@sheaf/config';
import { makeProblem } from '@sheaf/contract/operations';
import type { Db } from '@sheaf/db';
import type { User } from '@sheaf/db/schema';
import { constant, FatalError, makeLogger, systemClock } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { makeCommand, runTool } from './command-line.ts';
import { connectTool } from './open-database.ts';

/** Without those that look alike. */
const CHARACTERS = 'abcdefghijkmnpqrstuvwxyz23456789';
const GROUP_CHARACTERS = 5;
/** 25 characters of 32: 125 bits. */
const MIN_GROUPS = 5;

const makeGroup = (): string => Array.from({ length: GROUP_CHARACTERS }, () => CHARACTERS[randomInt(CHARACTERS.length)]).join('');

/** A password that nobody can guess and everybody can type, within the rules. */
const makePassword = (policy: PasswordPolicy, owner: { readonly username: string; readonly email: string }): string => {
  const groups = Math.max(MIN_GROUPS, Math.ceil(policy.minLength / GROUP_CHARACTERS));
  for (;;) {
    const password = Array.from({ length: groups }, makeGroup).join('-');
    if (passwordFaults(password, policy, owner).length === 0) return password; // else it has no digit, by chance
  }
};

const makePasswordCommand = () =>
  makeCommand('sheaf password')
    .description(
      'Sets a new random password for a user, also for the only administrator, and prints it. All sessions of the user end, and the API keys and app tokens are revoked; second factors stay. A lock after failed sign-ins stays until it expires. The service may run meanwhile.',
    )
    .argument('<username>', 'name of the user')
    .option('--keep-keys', 'do not revoke the API keys and app tokens of the user')
    .addHelpText('after', '\nExit codes: 0 done; 1 failed; 2 usage error; 78 configuration error.');

interface Reset {
  readonly username: string;
  readonly revokesKeys: boolean;
}

interface Given {
  readonly password: string;
  readonly revokedKeys: number;
}

const getUser = async (db: Db, username: string): Promise<User> => {
  const user = await findUserByName(db, username);
  if (user === undefined) throw new FatalError(makeProblem('user_unknown', { username }));
  return user;
};

const givePassword = async ({ username, revokesKeys }: Reset): Promise<Given> => {
  const { config } = loadForCommand();
  const { signIn, sessions: settings, notifications } = config;
  const log = makeLogger({ ...config.log, level: 'warn' }, 'cli');
  await using scope = new AsyncDisposableStack();
  const { db } = await connectTool(config, scope, { applicationName: 'sheaf password', maxConnections: 2, log });
  const browserStore = settings.storeUrl && new RedisSessionStore(settings.storeUrl, log);
  await browserStore?.start();
  scope.defer(async () => browserStore?.stop());
  const audit = makeAudit(constant(notifications.policy));
  const forget = (): void => {}; // the api hears of it from the database
  const sessions = new Sessions({
    db,
    clock: systemClock,
    settings: { ...settings, maxConcurrent: constant(settings.maxConcurrent) },
    browserStore,
    forget,
    audit,
  });
  const endAll = async (tx: Db, userId: string): Promise<void> => void (await sessions.endAll(tx, userId));
  const given = new GivenPassword({
    db,
    clock: systemClock,
    sessions: { endAll, forget },
    passwordPolicy: constant(signIn.passwordPolicy),
    audit,
  });
  const password = makePassword(signIn.passwordPolicy, await getUser(db, username));
  const revokedKeys = await given.give((tx) => getUser(tx, username), password, { by: 'command', revokesKeys });
  return { password, revokedKeys };
};

const printPassword = async (reset: Reset): Promise<number> => {
  const { password, revokedKeys } = await givePassword(reset);
  console.log(password);
  if (revokedKeys > 0) console.error(`sheaf password: API keys and app tokens revoked: ${revokedKeys}`);
  return EXIT.done;
};

process.exitCode = await runTool({
  name: 'sheaf password',
  parse: (argv) => {
    const command = makePasswordCommand().parse(argv, { from: 'user' });
    return { username: command.args.join(''), revokesKeys: command.opts<{ readonly keepKeys?: true }>().keepKeys !== true };
  },
  run: printPassword,
});
