import { type Config, loadOrExit, type ParsedFlags, parseFlags } from '@sheaf/config';
import type { Secret } from '@sheaf/contract';
import { makeProblem } from '@sheaf/contract/operations';
import { connectClient, isDatabaseUnavailable, placesOf, sqlState } from '@sheaf/db';
import { type Migration, migrateDown, migrateUp, readApplied, readMigrations } from '@sheaf/db/migrations';
import { FatalError, type Logger, makeLogger, sleep } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { FACTS_VERSION } from '@sheaf/vocabulary/facts';
import type { Client } from 'pg';
import { exitCodeOf } from './failure.ts';
import { openDatabaseForTool } from './open-database.ts';

interface ReachSettings {
  /** How long a database that cannot be reached is waited for. */
  readonly waitMs: number;
  /** Told while it is waited for. */
  readonly log: Logger | undefined;
}

/** One that starts with the same machine, on this one or another, is there by then. */
const START_WAIT_MS = 60_000;
const PAUSE_MS = 1_000;
const LOG_EVERY_MS = 15_000;

const VARIABLES = 'DATABASE_URL (DATABASE_DIRECT_URL, if set) or POSTGRES_*';

/** Without the password. */
const placeOf = (url: Secret): string => placesOf(new URL(url.reveal()));

/** What PostgreSQL refuses at the door, and no waiting changes. */
const REFUSALS: Readonly<Record<string, 'password' | 'access' | 'database'>> = {
  '28P01': 'password',
  '28000': 'access',
  '3D000': 'database',
};

const isAway = (error: unknown): boolean => !(error instanceof FatalError) && isDatabaseUnavailable(error);

/** In words for the person who has to mend it. */
const explain = (error: unknown, url: Secret): unknown => {
  const details = { place: placeOf(url), error: error instanceof Error ? error.message : String(error), variables: VARIABLES };
  const remedy = REFUSALS[sqlState(error) ?? ''];
  if (remedy !== undefined)
    return new FatalError(makeProblem('database_connection_rejected', { ...details, remedy }), EXIT.configuration, error);
  return isAway(error) ? new FatalError(makeProblem('database_not_reached', details), EXIT.failed, error) : error;
};

/** Connects to the database as soon as it can be reached. Throws FatalErrors that say what to do. */
const reachDatabase = async (url: Secret, { waitMs, log }: ReachSettings): Promise<Client> => {
  const never = new AbortController().signal;
  const startMs = performance.now();
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  for (;;) {
    try {
      return await connectClient(url, { applicationName: 'sheaf migrate' });
    } catch (error) {
      const nowMs = performance.now();
      if (!isAway(error) || nowMs - startMs >= waitMs) throw explain(error, url);
      if (nowMs - loggedAtMs >= LOG_EVERY_MS) {
        log?.warn({ reason: error instanceof Error ? error.message : String(error) }, `waiting for the database at ${placeOf(url)}`);
        loggedAtMs = nowMs;
      }
      await sleep(PAUSE_MS, never);
    }
  }
};

const USAGE = `usage: migrate status | up | down [--to VERSION] [--force] [--log]  [--config-file FILE] [--VARIABLE VALUE]...

  status   list applied and missing migrations
  up       apply missing migrations; --log writes log lines (LOG_FORMAT, LOG_LEVEL) instead of text
  down     revert the newest migration, or all newer than VERSION; the service must be stopped.
           Data of the newer schema is lost; --to 0 deletes all data and requires --force if documents or users exist

  Exit codes: 0 done; 1 failed or rejected; 2 usage error; 69 the service is running; 78 configuration error, or schema of a newer version.
`;

const numberOf = (version: number): string => String(version).padStart(4, '0');

const describe = ({ version, name }: Pick<Migration, 'version' | 'name'>): string => `${numberOf(version)} ${name}`;

/** With the oldest schema whose code works with it, where that is not its own. */
const describeReach = (migration: Pick<Migration, 'version' | 'name' | 'compatibleFrom'>): string => {
  const { version, compatibleFrom } = migration;
  return compatibleFrom < version ? `${describe(migration)} (compatible from ${numberOf(compatibleFrom)})` : describe(migration);
};

const status = async (client: Client): Promise<void> => {
  const [known, applied] = [await readMigrations(), await readApplied(client)];
  for (const migration of known) {
    const isApplied = applied.some((row) => row.version === migration.version);
    console.log(`${isApplied ? 'applied' : 'missing'}  ${describeReach(migration)}`);
  }
  for (const row of applied.filter(({ version }) => !known.some((migration) => migration.version === version)))
    console.log(`unknown  ${describeReach(row)}`);
};

const up = async (client: Client, log: Logger | undefined): Promise<void> => {
  const applied = await migrateUp(client, await readMigrations());
  for (const migration of applied) {
    if (log === undefined) console.log(`applied  ${describe(migration)}`);
    else log.info({ version: migration.version, name: migration.name }, 'migration applied');
  }
  if (applied.length > 0) await logFollowUps(client, log);
};

/** What a newer version does for new documents, and for those that are there only when it is asked to: docs/operate/upgrade.md lists it. */
const logFollowUps = async (client: Client, log: Logger | undefined): Promise<void> => {
  const { rows } = await client.query<{ missing: number; outdated: number }>(
    `select count(*) filter (where facts_found_at is null)::int as missing,
       count(*) filter (where facts_found_at is not null and coalesce(facts_version, 0) < $1)::int as outdated
     from documents where status = 'completed'`,
    [FACTS_VERSION],
  );
  const { missing = 0, outdated = 0 } = rows[0] ?? {};
  const command = 'bin/sheaf facts';
  if (log !== undefined) {
    if (missing > 0) log.info({ documents: missing, command }, 'documents without facts');
    if (outdated > 0) log.info({ documents: outdated, command }, 'documents with facts of an earlier version');
    return;
  }
  if (missing > 0) console.log(`next     ${missing} documents have no dates, amounts and senders yet; to find them, run: ${command}`);
  if (outdated > 0)
    console.log(
      `next     ${outdated} documents have dates, amounts and senders of an earlier version; to find them again, run: ${command}`,
    );
};

/** Programs that run would go on with tables that are not there any more. */
const requireStopped = async (client: Client): Promise<void> => {
  const { rows: tables } = await client.query<{ there: boolean }>(`select to_regclass('processes') is not null as there`);
  if (tables[0]?.there !== true) return;
  const { rows } = await client.query<{ process: string; pid: number; host: string }>(
    `select name as process, pid, host from processes where seen_at > now() - interval '15 seconds' order by name limit 1`,
  );
  const [running] = rows;
  if (running !== undefined)
    throw new FatalError(makeProblem('service_running', { ...running, pid: String(running.pid) }), EXIT.replicaRuns);
};

/** Below the first version there is no table left: titles, texts, users and all would be gone without a question. */
const requireNothingToLose = async (client: Client): Promise<void> => {
  const { rows } = await client.query<{ documents: number; users: number }>(
    'select (select count(*)::int from documents) as documents, (select count(*)::int from users) as users',
  );
  const { documents = 0, users = 0 } = rows[0] ?? {};
  if (documents + users > 0) throw new FatalError(makeProblem('migration_deletes_data', { documents, users }));
};

const down = async (client: Client, to: string | undefined, isForced: boolean): Promise<void> => {
  await requireStopped(client);
  const applied = await readApplied(client);
  const target = to === undefined ? (applied.at(-2)?.version ?? 0) : Number(to);
  const newest = applied.at(-1)?.version ?? 0;
  if (target > newest) throw new FatalError(makeProblem('migration_target_newer', { version: newest }), EXIT.usage);
  if (target === 0 && newest > 0 && !isForced) await requireNothingToLose(client);
  for (const migration of await migrateDown(client, await readMigrations(), target)) console.log(`reverted ${describe(migration)}`);
};

interface MigrateCommand {
  readonly command: string;
  readonly to: string | undefined;
  readonly isForced: boolean;
  readonly isLogged: boolean;
  /** Values of variables, as the supervisor hands them on. */
  readonly flags: ParsedFlags['values'];
}

/** Reads the command line; undefined when it is not one of ours. */
const parse = (argv: readonly string[]): MigrateCommand | undefined => {
  const parsed = parseFlags(argv, {
    to: { type: 'string' },
    force: { type: 'boolean' },
    log: { type: 'boolean' },
    help: { type: 'boolean' },
  });
  if (!parsed.ok) return undefined;
  const { positionals, own, values: flags } = parsed;
  const [command = ''] = positionals;
  const wanted = { command, to: own.get('to')?.at(-1), isForced: own.has('force'), isLogged: own.has('log'), flags };
  if (own.has('help')) return { ...wanted, command: 'help' };
  const isSane = positionals.length === 1 && ['status', 'up', 'down'].includes(command) && /^\d{1,6}$/.test(wanted.to ?? '0');
  const isForDown = wanted.to !== undefined || wanted.isForced;
  return isSane && (!isForDown || command === 'down') && (!wanted.isLogged || command === 'up') ? wanted : undefined;
};

const work = async ({ command, to, isForced }: MigrateCommand, config: Config, log: Logger | undefined): Promise<void> => {
  await using database = await openDatabaseForTool(config);
  // who starts the service wants it to run once the database does; a person at the command line wants to know now
  const client = await reachDatabase(database.url, { waitMs: log === undefined ? 0 : START_WAIT_MS, log });
  try {
    if (command === 'status') await status(client);
    else if (command === 'up') await up(client, log);
    else await down(client, to, isForced);
  } finally {
    await client.end();
  }
};

const run = async (wanted: MigrateCommand): Promise<void> => {
  const { config } = loadOrExit(wanted.flags, 'command');
  const log = wanted.isLogged ? makeLogger(config.log, 'migrate') : undefined;
  try {
    await work(wanted, config, log);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (log === undefined) process.stderr.write(`migrate: ${reason}\n`);
    else log.fatal(error instanceof FatalError ? { exit_code: error.exitCode, code: error.problem.code } : { err: error }, reason);
    process.exitCode = exitCodeOf(error);
  }
};

const parsed = parse(process.argv.slice(2));
if (parsed === undefined) {
  process.stderr.write(USAGE);
  process.exitCode = EXIT.usage;
} else if (parsed.command === 'help') {
  console.log(USAGE);
} else {
  await run(parsed);
}
