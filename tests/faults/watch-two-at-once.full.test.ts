import { join } from 'node:path';
import test from 'ava';
import { requireOtherFileSystem } from '../fixtures/other-file-system.ts';
import { openScene } from '../fixtures/watcher/watch-scene.ts';
import { listing, openWatchStage } from '../fixtures/watcher/watch-stage.ts';
import { makeTestAcross } from '../support/conditional-test.ts';

const COUNT = 40;

// Only one watcher scans at a time; this is what holds for a moment in which one has lost its lock and does not know it yet.
const testAcross = makeTestAcross();
const testPlace = (across: boolean): typeof testAcross => (across ? testAcross : test);

for (const across of [false, true])
  testPlace(across)(
    `two that scan the same folders at once lose no file and double no document${across ? ', moving to another file system' : ''}`,
    async (t): Promise<void> => {
      await using other = across ? await requireOtherFileSystem() : undefined;
      await using stage = await openWatchStage({ processed: other && join(other.path, 'processed') });
      const texts: string[] = [];
      for (let i = 0; i < COUNT; i += 1)
        for (const root of ['watch', 'users/anna']) {
          texts.push(`${root} ${i}`);
          await stage.drop(`${root}/in/${i}.txt`, `${root} ${i}`);
        }
      await using one = openScene(stage.places);
      await using second = openScene(stage.places);
      for (let round = 0; round < 3; round += 1) await Promise.all([one.round(), second.round()]);
      const places = await Promise.all([stage.watch, stage.anna, stage.places.processed].map(listing));
      t.deepEqual([...new Set(places.flatMap((files) => Object.values(files)))].toSorted(), texts.toSorted());
      for (const table of ['documents', 'ocr_jobs', "events where type = 'document_created'"])
        t.is(await stage.count(table), 2 * COUNT, table);
      return undefined;
    },
  );
