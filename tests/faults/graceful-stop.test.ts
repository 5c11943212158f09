import { waitFor } from '@sheaf/runtime';
import test from 'ava';
import { givenService } from '../support/given-service.ts';
import { makeScan } from '../support/scan.ts';

test('a service that is asked to stop gives back what it is reading, which is no try, and the next start goes on with it', async (t) => {
  t.timeout(180_000);
  await using given = await givenService();
  const admin = await (await given.service.ready()).register('admin');
  const { body } = await admin.upload({
    name: 'long.tiff',
    bytes: await makeScan(Array.from({ length: 10 }, (_, n) => `vermilion leaf ${n + 1}`)),
  });
  const id = String(body['id']);
  const job = async () =>
    (
      await given.database.pool.query<{ status: string; attempts: number; pages_done: number }>(
        'select status, attempts, pages_done from ocr_jobs where document_id = $1',
        [id],
      )
    ).rows[0];
  await waitFor(async () => ((await job())?.pages_done ?? 0) >= 1, { description: 'a page to be read', limitMs: 60_000, everyMs: 20 });
  t.is(await given.service.stop(), 0);
  for (const name of ['api', 'ocr-worker', 'watcher', 'sync'])
    t.regex(given.service.output, new RegExp(`stopping.*"process":"${name}"`), `${name} stopped in order`);
  t.like(await job(), { status: 'pending', attempts: 0 });

  const again = await given.startAgain().ready();
  t.is((await (await again.login('admin')).waitForEnd(id, 120_000)).status, 'completed');
  t.is((await job())?.attempts, 1);
});
