import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readOriginal } from '@sheaf/cli/testing';
import anyTest, { type TestFn } from 'ava';
import { sql } from 'drizzle-orm';
import { openTransferBench, type TransferBench } from './transfer-bench.ts';

const test = anyTest as TestFn<TransferBench>;

test.beforeEach(async (t) => {
  t.context = await openTransferBench();
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

const run = promisify(execFile);
const SCRIPT = join(import.meta.dirname, '../../fixtures/cli/killed-transfer.ts');

interface Death {
  readonly point: string;
  /** At which time that it comes by. */
  readonly nth: number;
  readonly keepsOldCopies: boolean;
  readonly rollsBack: boolean;
}

const die = ({ database, folder }: TransferBench, { point, nth, keepsOldCopies, rollsBack }: Death) => {
  const yesOrNo = [keepsOldCopies, rollsBack].map((is) => (is ? 'yes' : 'no'));
  return run(process.execPath, [SCRIPT, database.url.reveal(), folder, point, String(nth), ...yesOrNo]);
};

const STORING = ['before reading at the source', 'before storing at the target', 'after storing at the target'];
const REST = ['before reading back at the target', 'before a commit', 'after a commit'];
const REMOVING = ['before removing at the source', 'after removing at the source'];

const DEATHS: readonly Death[] = [
  ...[...STORING, ...REST, ...REMOVING].flatMap((point) => [1, 3].map((nth) => ({ point, nth, keepsOldCopies: false, rollsBack: false }))),
  ...[...REST, ...REMOVING].map((point) => ({ point, nth: 4, keepsOldCopies: true, rollsBack: false })),
  ...['before reading back at the source', 'before a commit', 'after a commit'].map((point) => ({
    point,
    nth: point.endsWith('source') ? 1 : 3,
    keepsOldCopies: true,
    rollsBack: true,
  })),
];

for (const death of DEATHS) {
  const how = death.rollsBack ? 'rolling back' : death.keepsOldCopies ? 'with rollback' : 'without rollback';
  // one after the other: each starts a program
  test.serial(`killed ${death.point}, ${how}, time ${death.nth}: every document has its file, and the next run finishes`, async (t) => {
    const { db, given, run: runAgain, local, remote, keysIn } = t.context;
    for (let i = 0; i < 4; i += 1) await given({ withDerived: i === 0 });
    const all = await keysIn(local);
    t.like(await t.throwsAsync(die(t.context, death)), { signal: 'SIGKILL' });
    const { rows } = await db.execute<{ sha256: string; file_path: string }>(sql`select sha256, file_path from documents`);
    for (const row of rows) t.is(await readOriginal(row.file_path.startsWith('s3://') ? remote : local, row.sha256), 'right');

    const { stopped, tally } = await runAgain({ keepsOldCopies: death.keepsOldCopies });
    t.is(stopped, undefined);
    t.is(tally.left, 0);
    t.deepEqual(await keysIn(remote), all);
    t.deepEqual(await keysIn(local), []);
    for (const row of rows) t.is(await readOriginal(remote, row.sha256), 'right');
  });
}
