import { type Config, ConfigError, storagePlaces } from '@sheaf/config';
import { makeProblem } from '@sheaf/contract/operations';
import { type Database, type Db, ReplicaLock } from '@sheaf/db';
import { hasLocalDocuments, lockStoredBytes } from '@sheaf/documents';
import { findPathsOfBytes, lockRowsOfBytes, moveRowsOfBytes, type ReferencedBytes } from '@sheaf/ingest/integrity';
import { FatalError, forEachLimit, inBatches, makeLogger } from '@sheaf/process';
import { listProcessesWithoutPlaces } from '@sheaf/program';
import { DOCUMENTS_PREFIX, documentKey, hashOfKey, openOneStorage, TempArea } from '@sheaf/storage';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { connectTool } from '../open-database.ts';
import { Progress } from '../progress/progress.ts';
import type { MigrateOptions } from './arguments.ts';
import {
  describeFailure,
  nameDocuments,
  readOriginal,
  type Side,
  Tally,
  type Transfer,
  TransferStopped,
  verifyTarget,
  walkBytesAt,
  whileAllowed,
} from './judge-failure.ts';
import { findLeftovers, moveAll, removeLeftovers, VerifiedHashes } from './move-all.ts';

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

export interface VerifyMode {
  /** Undefined: all objects. */
  readonly sampleSize: number | undefined;
}

/** All steps in their order. Throws TransferStopped when they cannot be finished. */
const runSteps = async (transfer: Transfer, verify: VerifyMode | undefined): Promise<void> => {
  const { tally, keepsOldCopies, report } = transfer;
  const verified = new VerifiedHashes();
  await moveAll(transfer, verified);
  if (verify !== undefined) await verifyTarget(transfer, verify.sampleSize);
  if (keepsOldCopies && tally.mismatched > 0) throw new TransferStopped('verification of the moved files failed');
  // What failed may arrive with the next run; what is missing or damaged at the source never will.
  if (keepsOldCopies && tally.failed > 0) report.line('old copies are kept until all files are moved; run it again');
  else await removeLeftovers(transfer, verified);
};

/**
 * Moves all documents from the source to the target, verifies them where that is wished, and removes the old copies. Returns why it
 * was stopped, if it was; a run that keeps the old copies has then switched everything back to them, as far as it could.
 */
export const runTransfer = async (transfer: Transfer, verify: VerifyMode | undefined): Promise<string | undefined> => {
  try {
    await runSteps(transfer, verify);
    return undefined;
  } catch (error) {
    const reason = describeFailure(error);
    transfer.report.line(`stopped: ${reason}`);
    if (transfer.keepsOldCopies) {
      await rollBack(transfer).catch((failure: unknown) => {
        transfer.report.line(`rollback incomplete: ${describeFailure(failure)}. No data is lost; run it again`);
      });
    }
    return reason;
  }
};

/** Bytes that have an old copy at the source, while documents say that they are at the target. */
async function* findSwitched({ db, source, target, batchSize }: Transfer): AsyncGenerator<string> {
  for await (const batch of inBatches(source.storage.list(DOCUMENTS_PREFIX), batchSize)) {
    const hashes = batch.map(({ key }) => hashOfKey(key)).filter((hash) => hash !== undefined);
    const paths = await findPathsOfBytes(db, hashes);
    for (const [hash, found] of paths) if (found.includes(target.storage.pathOf(documentKey(hash)))) yield hash;
  }
}

/** Has the documents of these bytes say again that they are at the source; how many, or undefined where the old copy is not right. */
const switchBack = async ({ db, source, target }: Transfer, sha256: string): Promise<number | undefined> => {
  if ((await readOriginal(source.storage, sha256)) !== 'right') return undefined;
  return db.transaction(async (tx) => {
    const key = documentKey(sha256);
    await lockStoredBytes(tx, sha256, 'alone');
    await lockRowsOfBytes(tx, sha256);
    if ((await source.storage.stat(key)) === undefined) return undefined;
    return moveRowsOfBytes(tx, sha256, target.place, source.storage.pathOf(key));
  });
};

/**
 * Switches every document that has an old copy back to it, after reading that one. The new copies stay: the next run finds them.
 * What cannot be switched back stays where it is, which is a right copy too. Throws when the database or the list of the source fails.
 */
const rollBack = async (transfer: Transfer): Promise<void> => {
  const { db, source, tally, report, parallel } = transfer;
  const noteKept = async (sha256: string, why: string): Promise<void> => {
    tally.notRolledBack += 1;
    report.line(`kept     ${sha256}: ${(await nameDocuments(db, sha256)) ?? 'no document'}: not rolled back: ${why}`);
  };
  report.begin('rolling back');
  report.line(`rolling back documents to ${source.storage.place}`);
  await forEachLimit(findSwitched(transfer), parallel, async (sha256) => {
    try {
      const documents = await switchBack(transfer, sha256);
      if (documents === undefined) return await noteKept(sha256, 'its old copy is missing or damaged');
      tally.rolledBack += documents;
      report.detail(`back     ${sha256}`);
      report.advance(0);
    } catch (error) {
      await noteKept(sha256, describeFailure(error));
    }
  });
};

const MEGABYTE = 1_000_000;

type Row = readonly [name: string, value: string | number];

/** A name and a value a line, for people and for `awk`. */
const toLines = (rows: readonly Row[]): string => rows.map(([name, value]) => `${name.padEnd(16)}${value}\n`).join('');

const rowsUnless = (isLeftOut: boolean, ...rows: readonly Row[]): readonly Row[] => (isLeftOut ? [] : rows);

/** What a run did. */
const summariseRun = (tally: Tally, seconds: number, hasVerified: boolean): string =>
  toLines([
    ['moved', tally.moved],
    ['documents', tally.documents],
    ['skipped', tally.skipped],
    ['missing', tally.missing],
    ['damaged', tally.damaged],
    ['failed', tally.failed],
    ['old_removed', tally.removedCopies],
    ...rowsUnless(tally.keptCopies === 0, ['old_kept', tally.keptCopies]),
    ...rowsUnless(!hasVerified, ['verified', tally.verified], ['mismatched', tally.mismatched]),
    ...rowsUnless(
      tally.rolledBack + tally.notRolledBack === 0,
      ['rolled_back', tally.rolledBack],
      ['not_rolled_back', tally.notRolledBack],
    ),
    ['bytes', tally.bytes],
    ['seconds', seconds.toFixed(1)],
    ['MB/s', (tally.bytes / MEGABYTE / Math.max(seconds, 0.001)).toFixed(1)],
  ]);

/** What a run would do, and what was verified now. */
const summariseSurvey = (survey: Survey, verified: Tally | undefined): string => {
  const { files, bytes, alreadyThere, missing, damaged, oldCopies, unreachable } = survey;
  const verifiedRows: readonly Row[] =
    verified === undefined
      ? []
      : [
          ['verified', verified.verified],
          ['mismatched', verified.mismatched],
        ];
  return toLines([
    ['to_move', files],
    ['already_there', alreadyThere],
    ['missing', missing],
    ['damaged', damaged],
    ['old_to_remove', oldCopies],
    ...verifiedRows,
    ['bytes', bytes],
    ['target', unreachable === undefined ? 'reachable' : `not available: ${unreachable}`],
  ]);
};

/** What a run would find. */
interface Survey {
  /** Originals that would be moved, and those of them that the target has already. */
  files: number;
  bytes: number;
  alreadyThere: number;
  /** What would be left behind. */
  missing: number;
  damaged: number;
  /** Copies that an earlier run left and this one would remove. */
  oldCopies: number;
  /** Why the target cannot be used now; undefined where it can be read. */
  unreachable: string | undefined;
}

/** Reads one page of the list, and writes nothing. */
const reach = async ({ target }: Transfer): Promise<string | undefined> => {
  try {
    for await (const _ of target.storage.list(DOCUMENTS_PREFIX)) break;
    return undefined;
  } catch (error) {
    return describeFailure(error);
  }
};

const lookAt = async (transfer: Transfer, survey: Survey, { sha256, sizeBytes }: ReferencedBytes): Promise<void> => {
  const { db, source, target, report } = transfer;
  const key = documentKey(sha256);
  const there = survey.unreachable === undefined ? await target.storage.stat(key) : undefined;
  const here = await source.storage.stat(key);
  report.advance(sizeBytes);
  const problem = here === undefined ? 'missing' : here.sizeBytes === sizeBytes ? undefined : 'damaged';
  if (problem !== undefined && there === undefined) {
    survey[problem] += 1;
    return report.line(`${problem.padEnd(8)} ${sha256}: ${(await nameDocuments(db, sha256)) ?? 'no document'}: will not be moved`);
  }
  survey.files += 1;
  survey.bytes += sizeBytes;
  if (there !== undefined) survey.alreadyThere += 1;
  report.detail(`to move  ${sha256} (${sizeBytes} bytes${there === undefined ? '' : ', already at the target'})`);
};

/** What a run would do, by names and sizes alone: nothing is changed, and no file is read. */
const surveyTransfer = async (transfer: Transfer): Promise<Survey> => {
  const unreachable = await reach(transfer);
  const survey: Survey = { files: 0, bytes: 0, alreadyThere: 0, missing: 0, damaged: 0, oldCopies: 0, unreachable };
  transfer.report.begin('looking');
  const all = whileAllowed(transfer, walkBytesAt(transfer, transfer.source.place));
  await forEachLimit(all, transfer.parallel, (bytes) => lookAt(transfer, survey, bytes));
  for await (const _ of whileAllowed(transfer, findLeftovers(transfer, DOCUMENTS_PREFIX))) survey.oldCopies += 1;
  return survey;
};
