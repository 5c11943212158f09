import type { Config } from '@sheaf/config';
import { makeProblem } from '@sheaf/contract/operations';
import type { Database, Db } from '@sheaf/db';
import { countDocuments } from '@sheaf/documents';
import { findOrphans, sweepOrphan } from '@sheaf/ingest';
import { countTallyDifferences, measureReferencedFiles, rebuildDocumentTallies } from '@sheaf/ingest/integrity';
import { FatalError, systemClock } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { connectTool } from '../open-database.ts';
import { formatBytes, formatCount, openProgress, type Progress } from '../progress/progress.ts';
import type { VerifyOptions } from './arguments.ts';
import { type FileCheckDeps, makeDocumentPages, makePreviews, makeStoredFiles, makeThumbnails, openFileCheckDeps } from './file-checks.ts';
import {
  type Check,
  type Difference,
  runChecks,
  searchEntries,
  searchStatistics,
  type VerifyOutput,
  type VerifyResult,
} from './run-checks.ts';

/** Findings to stdout; how far it is to stderr, for a person at a terminal. */
const makeOutput = (report: Progress): VerifyOutput => ({
  line: (text) => {
    report.erase();
    console.log(text);
  },
  begin: (check, total) => report.begin(check, { files: total ?? 0, bytes: 0, unit: 'entries' }),
  progress: (done) => report.reach(done),
});

/** What was looked at, and what came of it. */
interface Verified extends VerifyResult {
  readonly documents: number;
  readonly files: number;
  readonly bytes: number;
}

/** The index first, as it is done in a moment; the files take as long as it takes to read them. */
const runAll = async (config: Config, { db }: Database, { isRepair, isFast }: VerifyOptions): Promise<Verified> => {
  await using deps = await openFileCheckDeps(config, db, isFast);
  const health = await deps.storage.check();
  if (health.status === 'unhealthy')
    throw new FatalError(health.problems?.[0] ?? makeProblem('storage_unavailable', { place: deps.storage.place }));
  const progress = openProgress();
  try {
    const result = await runChecks(db, [...DATABASE_CHECKS, ...makeFileChecks(deps)], isRepair, makeOutput(progress.report));
    return { ...result, ...(await measureReferencedFiles(db)), documents: await countDocuments(db) };
  } finally {
    progress.close();
  }
};

const compare = async (options: VerifyOptions, config: Config): Promise<Verified> => {
  await using scope = new AsyncDisposableStack();
  const database = await connectTool(config, scope, { applicationName: 'sheaf verify', maxConnections: 2 });
  return await runAll(config, database, options);
};

const differencesOf = ({ found, repaired, outdated }: VerifyResult): string => {
  const differences = found === 0 ? 'no differences' : `${found} ${found === 1 ? 'difference' : 'differences'}, ${repaired} repaired`;
  return outdated === 0 ? differences : `${differences}, ${outdated} search entries of an earlier version`;
};

const summary = (result: Verified, elapsedMs: number): string => {
  const { documents, files, bytes } = result;
  const seconds = (elapsedMs / 1_000).toFixed(1);
  const word = result.found === result.repaired ? 'verified' : 'not verified';
  return `${word}: ${differencesOf(result)}; ${formatCount(documents)} documents, ${formatCount(files)} files, ${formatBytes(bytes)}, ${seconds} s`;
};

/** Compares, prints the summary and answers the exit code. */
export const verify = async (options: VerifyOptions, config: Config): Promise<number> => {
  const startedAt = performance.now();
  const result = await compare(options, config);
  console.log(summary(result, performance.now() - startedAt));
  return result.found === result.repaired ? EXIT.done : EXIT.failed;
};

async function* findOrphanedFiles({ storage }: FileCheckDeps, db: Db): AsyncGenerator<Difference> {
  const deps = { db, storage, clock: systemClock };
  for await (const object of findOrphans(deps)) {
    const repair = async (): Promise<void> => {
      await sweepOrphan(deps, object);
    };
    yield { subject: object.key, finding: 'belongs to no document', repair };
  }
}

/** What is stored belongs to a document, or is younger than a day. The service sets the others aside once a day. */
const makeOrphanedFiles = (deps: FileCheckDeps): Check => ({ name: 'orphaned-files', find: (db) => findOrphanedFiles(deps, db) });

async function* findTallies(db: Db): AsyncGenerator<Difference> {
  const differences = await countTallyDifferences(db);
  if (differences > 0)
    yield { subject: 'tallies', finding: `${differences} incorrect document counts`, repair: () => rebuildDocumentTallies(db) };
}

/** Totals of lists and labels are kept beside the documents they count. */
const documentTallies: Check = { name: 'document-tallies', find: findTallies };

/** What is kept twice in the database, in the order in which it is verified. */
export const DATABASE_CHECKS: readonly Check[] = [searchEntries, searchStatistics, documentTallies];

/** Files against the database. What is read again needs its original, which is restored before. */
export const makeFileChecks = (deps: FileCheckDeps): readonly Check[] => [
  makeStoredFiles(deps),
  makePreviews(deps),
  makeDocumentPages(deps),
  makeThumbnails(deps),
  makeOrphanedFiles(deps),
];
