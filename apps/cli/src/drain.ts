import { loadForCommand } from '@sheaf/config';
import { makeProblem } from '@sheaf/contract/operations';
import type { Db } from '@sheaf/db';
import { FatalError, sleep } from '@sheaf/process';
import { listProcesses } from '@sheaf/program';
import { countJobsOfHosts, setHostDrained } from '@sheaf/queue';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { makeCommand, runTool } from './command-line.ts';
import { connectTool } from './open-database.ts';

const LOOK_EVERY_MS = 500;
const RECENTLY_MS = 3_600_000;

interface Request {
  readonly host: string;
  readonly resumes: boolean;
}

const makeDrainCommand = () =>
  makeCommand('sheaf drain')
    .description(
      'Lets the OCR workers of a host finish the documents that they have begun and take nothing new, and waits for that. Then the host can be stopped, and nothing is read twice. It takes new documents again after `sheaf drain HOST --resume`.',
    )
    .argument('<host>', 'name of the host, as GET /api/hosts and the health page list it')
    .option('--resume', 'let the host take documents again')
    .addHelpText('after', '\nExit codes: 0 done; 1 failed; 2 usage error; 78 configuration error.');

/** A name that was mistyped would be waited for in vain. */
const requireHost = async (db: Db, host: string): Promise<void> => {
  const known = new Set((await listProcesses(db, new Date(Date.now() - RECENTLY_MS))).map((row) => row.host));
  if (!known.has(host))
    throw new FatalError(makeProblem('host_unknown', { host, known: known.size === 0 ? undefined : [...known].toSorted().join(', ') }));
};

const untilIdle = async (db: Db, host: string): Promise<void> => {
  const { signal } = new AbortController(); // who interrupts it ends the whole program
  let before: number | undefined;
  for (;;) {
    const jobs = (await countJobsOfHosts(db)).get(host) ?? 0;
    if (jobs === 0) return;
    if (jobs !== before) process.stderr.write(`${host} is still processing documents: ${jobs}\n`);
    before = jobs;
    await sleep(LOOK_EVERY_MS, signal);
  }
};

const drain = async ({ host, resumes }: Request): Promise<number> => {
  const { config } = loadForCommand();
  await using scope = new AsyncDisposableStack();
  const { db } = await connectTool(config, scope, { applicationName: 'sheaf drain', maxConnections: 2 });
  if (!resumes) await requireHost(db, host);
  await db.transaction((tx) => setHostDrained(tx, host, !resumes));
  if (!resumes) await untilIdle(db, host);
  process.stdout.write(resumes ? `${host} takes documents again.\n` : `${host} is drained: it processes nothing and takes nothing new.\n`);
  return EXIT.done;
};

const parse = (argv: readonly string[]): Request => {
  const command = makeDrainCommand().parse(argv, { from: 'user' });
  return { host: command.args.join(''), resumes: command.opts<{ resume?: boolean }>().resume === true };
};

process.exitCode = await runTool({ name: 'sheaf drain', parse, run: drain });
