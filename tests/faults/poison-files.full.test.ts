import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { requestRun } from '@sheaf/sources/runs';
import test, { type ExecutionContext } from 'ava';
import { POISON } from '../fixtures/poison.ts';
import { openScene } from '../fixtures/watcher/watch-scene.ts';
import { openWatchStage } from '../fixtures/watcher/watch-stage.ts';
import { openSyncBench } from '../integration/sync/fixture.ts';

const run = promisify(execFile);
const SCAN = join(import.meta.dirname, '../fixtures/watcher/poison-scan.ts');
const SYNC = join(import.meta.dirname, '../fixtures/sync/poison-run.ts');

/** Starts the process again each time that it is killed, until it ends by itself; returns how often it was killed. */
const untilItEnds = async (t: ExecutionContext, script: string, args: readonly string[]): Promise<number> => {
  for (let deaths = 0; ; deaths += 1) {
    if (deaths > 5) throw new Error('the process is killed for ever');
    try {
      await run(process.execPath, [script, ...args, ...(deaths === 0 ? ['together'] : [])]);
      return deaths;
    } catch (error) {
      t.like(error, { signal: 'SIGKILL' });
    }
  }
};

/** One crash with others under way, and the two that count. */
const EXPECTED_DEATHS = 3;
const QUARANTINED = 'failed quarantined';

for (const root of ['watch', 'users/anna']) {
  const [route, prefix] = root === 'watch' ? ['watch', ''] : ['user_watch', 'anna/'];
  test(`a file in a folder of ${route} that kills the watcher is quarantined after two crashes, and the others are imported`, async (t) => {
    t.timeout(3 * 120_000);
    await using stage = await openWatchStage();
    const { places, drop, ledger, count } = stage;
    await drop(`${root}/poison.txt`, `${POISON} for the watcher`);
    for (const name of ['a', 'b', 'c']) await drop(`${root}/${name}.txt`, `harmless ${name}`);
    t.is(await untilItEnds(t, SCAN, [JSON.stringify(places)]), EXPECTED_DEATHS);
    const innocent = ['a', 'b', 'c'].map((name) => `${route} ${prefix}${name}.txt ingested`);
    t.deepEqual(await ledger(), [...innocent, `${route} ${prefix}poison.txt ${QUARANTINED}`]);
    t.is(await count('import_attempts'), 0);

    await run(process.execPath, [SCAN, JSON.stringify(places)]); // it is not even opened, or the process would have died
    await drop(`${root}/poison.txt`, 'harmless now');
    await using scene = openScene(places);
    await scene.round();
    t.deepEqual(await ledger(), [...innocent, `${route} ${prefix}poison.txt ingested`]);
  });
}

test('a file of a source that kills the sync process is quarantined after two crashes, and the others are fetched', async (t) => {
  t.timeout(3 * 120_000);
  await using bench = await openSyncBench();
  const { put, addSource, database, owner, engine, rows, folder } = bench;
  await put('poison.txt', `${POISON} for the sync process`);
  for (const name of ['a', 'b', 'c']) await put(`${name}.txt`, `harmless ${name}`);
  const id = await addSource();
  await engine.stop();
  await database.db.transaction((tx) => requestRun(tx, id, owner.id));
  t.is(await untilItEnds(t, SYNC, [database.url.reveal(), folder, id]), EXPECTED_DEATHS);
  const ledger = (): Promise<unknown[]> =>
    rows("select path || ' ' || state || coalesce(' ' || reason_code, '') as line from ingest_ledger order by path");
  const innocent = ['a', 'b', 'c'].map((name) => ({ line: `${name}.txt ingested` }));
  t.deepEqual(await ledger(), [...innocent, { line: `poison.txt ${QUARANTINED}` }]);
  t.deepEqual(await rows('select from import_attempts'), []);

  await database.db.transaction((tx) => requestRun(tx, id, owner.id));
  await run(process.execPath, [SYNC, database.url.reveal(), folder, id]); // not fetched again, also when somebody asks for a run
  await put('poison.txt', 'harmless by now');
  await database.db.transaction((tx) => requestRun(tx, id, owner.id));
  await run(process.execPath, [SYNC, database.url.reveal(), folder, id]);
  t.deepEqual(await ledger(), [...innocent, { line: 'poison.txt ingested' }]);
});
