import type { Db } from '@sheaf/db';
import {
  countSettledDocuments,
  type EntryDifference,
  findEntryDifferences,
  findOrphanEntries,
  findStatisticsDifferences,
  isRenewingEntries,
  rebuildStatistics,
  repairEntry,
  type StatisticsDifferences,
} from '@sheaf/search';
import { reasonOf } from '../failure.ts';

const FINDINGS: Readonly<Record<EntryDifference['kind'], string>> = {
  missing: 'has no search entry',
  different: 'has an outdated search entry',
  orphan: 'has a search entry but should not',
};

const toDifference = (db: Db, difference: EntryDifference, isRenewing: boolean): Difference => ({
  subject: `document ${difference.documentId}`,
  finding: FINDINGS[difference.kind],
  isRenewed: isRenewing && difference.kind === 'different',
  repair: () => repairEntry(db, difference),
});

async function* findEntries(db: Db, progress: Progress): AsyncGenerator<Difference> {
  for (const orphan of await findOrphanEntries(db)) yield toDifference(db, orphan, false);
  const total = await countSettledDocuments(db);
  const isRenewing = await isRenewingEntries(db);
  for await (const difference of findEntryDifferences(db, (done) => progress(done, total))) yield toDifference(db, difference, isRenewing);
}

/** The index has exactly what the documents have. */
export const searchEntries: Check = { name: 'search-index', find: findEntries };

const describe = ({ words, examples, configurations }: StatisticsDifferences): string =>
  [
    words === 0 ? [] : [`${words} incorrect word counts (${examples.join(', ')}${words > examples.length ? ', ...' : ''})`],
    configurations.length === 0 ? [] : [`incorrect totals of ${configurations.join(', ')}`],
  ]
    .flat()
    .join('; ');

async function* findStatistics(db: Db): AsyncGenerator<Difference> {
  const difference = await findStatisticsDifferences(db);
  const finding = describe(difference);
  if (finding !== '') yield { subject: 'statistics', finding, repair: () => rebuildStatistics(db) };
}

/** The ranking knows in how many documents each word is. Comes after the index, whose repair it counts. */
export const searchStatistics: Check = { name: 'search-statistics', find: findStatistics };

export interface VerifyResult {
  readonly found: number;
  readonly repaired: number;
  /** What an upgrade has left, and is renewed in the background. */
  readonly outdated: number;
}

export interface VerifyOutput {
  /** One finding a line: `check: subject: finding`, and what became of it. */
  readonly line: (text: string) => void;
  readonly begin: (check: string, total?: number) => void;
  readonly progress: (done: number) => void;
}

const mend = async ({ repair }: Difference): Promise<{ isDone: boolean; note: string }> => {
  try {
    await repair();
    return { isDone: true, note: ' [repaired]' };
  } catch (error) {
    return { isDone: false, note: ` [not repaired: ${reasonOf(error)}]` };
  }
};

/** Runs the checks one after the other and writes a line for each difference. One that cannot be mended does not stop the rest. */
export const runChecks = async (db: Db, checks: readonly Check[], isRepair: boolean, output: VerifyOutput): Promise<VerifyResult> => {
  let found = 0;
  let [repaired, outdated] = [0, 0];
  for (const { name, find } of checks) {
    let known: number | undefined;
    output.begin(name);
    const progress: Progress = (done, total) => {
      if (total !== known) output.begin(name, total);
      known = total;
      output.progress(done);
    };
    for await (const difference of find(db, progress)) {
      if (difference.isRenewed === true && !isRepair) {
        outdated += 1;
        output.line(`${name}: ${difference.subject}: ${difference.finding} [renewed in the background]`);
        continue;
      }
      found += 1;
      const { isDone, note } = isRepair ? await mend(difference) : { isDone: false, note: '' };
      if (isDone) repaired += 1;
      output.line(`${name}: ${difference.subject}: ${difference.finding}${note}`);
    }
  }
  return { found, repaired, outdated };
};

/** One thing that is not as it should be. */
export interface Difference {
  /** What is damaged, such as `document 0190...`. */
  readonly subject: string;
  /** How, in a few words that stay the same. */
  readonly finding: string;
  /** It is there after an upgrade, and ends by itself: no damage. */
  readonly isRenewed?: boolean;
  /** Mends it. May be called while the service runs. */
  readonly repair: () => Promise<void>;
}

/** How far a check is, for a person who waits; without a total where counting would take as long. */
export type Progress = (done: number, total?: number) => void;

/** Compares two things that must agree. New ones are listed in checks.ts. */
export interface Check {
  /** Begins each line of output about it. */
  readonly name: string;
  readonly find: (db: Db, progress: Progress) => AsyncIterable<Difference>;
}
