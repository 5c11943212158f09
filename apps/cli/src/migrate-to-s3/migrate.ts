import { type Config, ConfigError, storagePlaces } from '@sheaf/config';
import { makeProblem } from '@sheaf/contract/operations';
import { type Database, type Db, ReplicaLock } from '@sheaf/db';
import { hasLocalDocuments } from '@sheaf/documents';
import { FatalError, makeLogger } from '@sheaf/process';
import { listProcessesWithoutPlaces } from '@sheaf/program';
import { openOneStorage, TempArea } from '@sheaf/storage';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { connectTool } from '../open-database.ts';
import { Progress } from '../progress/progress.ts';
import type { MigrateOptions } from './arguments.ts';
import { runTransfer } from './run-transfer.ts';
import { summariseRun, summariseSurvey } from './summary.ts';
import { surveyTransfer } from './survey.ts';
import { Tally } from './tally.ts';
import { type Side, type Transfer, TransferStopped } from './transfer.ts';
import { verifyTarget } from './verify-target.ts';

/** Three missed heartbeats count as gone. */
const SILENCE_MS = 15_000;

/**
 * Why documents must not be moved between `places` while the service runs as it does, as it would not find what was moved;
 * undefined where they may.
 */
const explainUnaware = async (db: Db, places: readonly string[]): Promise<string | undefined> => {
  const unaware = await listProcessesWithoutPlaces(db, new Date(Date.now() - SILENCE_MS), places);
  if (unaware.length === 0) return undefined;
  const names = unaware.map(({ name, pid, host }) => `${name} (process ${pid} on ${host})`).join(', ');
  return `running processes do not have both ${places.join(' and ')} configured and would not find moved files: ${names}. Restart the service with the same S3_* variables and UPLOAD_PATH as this tool, or stop it; then run this again`;
};

const TOOL = 'migrate_to_s3';
const TICK_MS = 200;

const requireS3 = ({ storage }: Config): void => {
  if (storage.s3 !== undefined) return;
  const message = 'is required by migrate_to_s3, whatever STORAGE_TYPE says';
  throw new ConfigError(storage.s3Missing.map((variable) => ({ variable, message })));
};

/** The folder and the bucket, closed at the end of the scope. */
const openSides = async ({ storage: settings }: Config, { db }: Database, resources: AsyncDisposableStack) => {
  const open = async (place: Side['place']): Promise<Side> => {
    const storage = await openOneStorage(place, settings, { hasLocalDocuments: () => hasLocalDocuments(db) });
    resources.defer(() => storage.close());
    return { place, storage };
  };
  return { local: await open('local'), s3: await open('s3') };
};

/** Aborted by the first signal; the second one ends the process at once, which loses nothing. */
const stopOnSignals = (progress: Progress): AbortSignal => {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(EXIT.failed);
      progress.line('stopping after the current files; press again to stop immediately');
      stop.abort();
    });
  }
  return stop.signal;
};

/** Both storages without those of other kinds, as the processes of the service tell them. */
const placesOf = ({ storage }: Config): string[] => storagePlaces({ ...storage, type: 'local', azure: undefined });

/** What is to be done next by the person who reads it. */
const adviceAfter = ({ storage: { type } }: Config, { target, source }: Transfer): string | undefined =>
  type === target.place
    ? undefined
    : `new documents are still stored in ${type === source.place ? source.storage.place : `the storage ${type}`}: set STORAGE_TYPE=${target.place}, restart the service, and run this again`;

const openTransfer = async (options: MigrateOptions, config: Config, resources: AsyncDisposableStack, progress: Progress) => {
  const log = makeLogger({ ...config.log, level: 'warn' }, 'cli');
  const parallel = options.parallel ?? config.bulk.parallelUploads;
  const database = await connectTool(config, resources, { applicationName: `sheaf ${TOOL}`, maxConnections: parallel + 2, log });
  let lost: FatalError | undefined;
  const lock = new ReplicaLock({ url: database.directUrl, processName: TOOL, log, onLost: (error) => (lost = error) });
  const { local, s3 } = await openSides(config, database, resources);
  const isToS3 = options.direction === 'local-to-s3';
  const transfer: Transfer = {
    db: database.db,
    source: isToS3 ? local : s3,
    target: isToS3 ? s3 : local,
    temp: new TempArea(config.storage.tempPath),
    batchSize: options.batchSize ?? config.bulk.batchSize,
    parallel,
    keepsOldCopies: options.keepsOldCopies,
    tally: new Tally(),
    report: progress,
    signal: stopOnSignals(progress),
    mayGoOn: async () => {
      if (options.isDryRun) return; // nothing is moved that somebody would not find
      const problem = lost?.message ?? (await explainUnaware(database.db, placesOf(config)));
      if (problem !== undefined) throw new TransferStopped(problem);
    },
  };
  return { transfer, lock };
};

const dryRun = async (transfer: Transfer, options: MigrateOptions, config: Config): Promise<number> => {
  const survey = await surveyTransfer(transfer);
  const mayVerify = options.verifies && survey.unreachable === undefined;
  if (mayVerify) await verifyTarget(transfer, options.sampleSize);
  const { tally } = transfer;
  const obstacle = await explainUnaware(transfer.db, placesOf(config));
  if (obstacle !== undefined) transfer.report.line(`cannot start now: ${obstacle}`);
  process.stdout.write(summariseSurvey(survey, mayVerify ? tally : undefined));
  return survey.unreachable === undefined && survey.missing + survey.damaged + tally.mismatched + tally.failed === 0
    ? EXIT.done
    : EXIT.failed;
};

const requireTarget = async ({ target }: Transfer): Promise<void> => {
  const { status, problems } = await target.storage.check();
  if (status === 'unhealthy') throw new FatalError(problems?.[0] ?? makeProblem('storage_unavailable', { place: target.storage.place }));
};

const realRun = async (transfer: Transfer, options: MigrateOptions, advice: string | undefined): Promise<number> => {
  const startedAt = performance.now();
  await transfer.mayGoOn();
  await requireTarget(transfer);
  const stopped = await runTransfer(transfer, options.verifies ? { sampleSize: options.sampleSize } : undefined);
  const { tally, report } = transfer;
  if (tally.rolledBack > 0) report.line(`${tally.rolledBack} documents were moved back to ${transfer.source.storage.place}`);
  if (tally.keptCopies > 0)
    report.line(
      `${tally.keptCopies} old copies kept because their documents are being processed or a backup is running; the next run removes them`,
    );
  if (stopped === undefined && advice !== undefined) report.line(advice);
  process.stdout.write(summariseRun(tally, (performance.now() - startedAt) / 1_000, options.verifies));
  return stopped === undefined && tally.left + tally.mismatched === 0 ? EXIT.done : EXIT.failed;
};

/** Moves the documents as the command line says; returns the exit code. Throws what keeps it from beginning. */
export const migrate = async (options: MigrateOptions, config: Config): Promise<number> => {
  requireS3(config);
  const write = (text: string): unknown => process.stderr.write(text);
  const progress = new Progress({ write, isTerminal: process.stderr.isTTY, isVerbose: options.isVerbose, now: () => performance.now() });
  const ticking = setInterval(() => progress.tick(), TICK_MS);
  await using resources = new AsyncDisposableStack();
  resources.defer(() => {
    clearInterval(ticking);
    progress.end();
  });
  const { transfer, lock } = await openTransfer(options, config, resources, progress);
  if (options.isDryRun) return await dryRun(transfer, options, config);
  resources.defer(() => lock.stop());
  await lock.start();
  return await realRun(transfer, options, adviceAfter(config, transfer));
};
