import type { ApiClient, RunningService } from '@sheaf/testkit';
import test from 'ava';
import { givenService } from '../support/given-service.ts';
import { makeScan } from '../support/scan.ts';
import { waitFor } from '../support/wait-for.ts';

const BIG_BYTES = 24 * 1024 ** 2;

/** A download of which the client has read the beginning, and an upload of which half is sent: both go on only when the api was asked to stop. */
const beginRequests = async (service: RunningService, admin: ApiClient) => {
  const big = { name: 'big.txt', bytes: new Uint8Array(BIG_BYTES).fill(97) };
  const { body } = await admin.upload(big, { ocr_enabled: 'false' });
  const download = await admin.request(`/api/documents/${String(body['id'])}/download`);
  const reader = download.body?.getReader();
  if (reader === undefined) throw new Error('the download has no body');
  const first = await reader.read();
  const isAsked = () =>
    waitFor(() => /stopping.*"process":"api"/.test(service.output), { description: 'the api to be asked', limitMs: 10_000 });
  const half = Promise.withResolvers<void>();
  const parts = async function* () {
    yield Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="late.txt"\r\n\r\nthe first half ');
    half.resolve();
    await isAsked();
    yield Buffer.from('and the second\r\n--b--\r\n');
  };
  const upload = admin.request('/api/documents/upload', {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    body: parts() as unknown as BodyInit,
    duplex: 'half',
  } as RequestInit);
  await half.promise;
  return {
    finish: async () => {
      await isAsked();
      let downloaded = first.value?.length ?? 0;
      for (let part = await reader.read(); !part.done; part = await reader.read()) downloaded += part.value.length;
      const { status } = await upload;
      return { downloaded, uploaded: status };
    },
  };
};

test('a service that is asked to stop gives back what it is reading, which is no try, finishes the requests under way, and the next start goes on', async (t) => {
  t.timeout(3 * 180_000);
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
  const requests = await beginRequests(given.service, admin);
  const stopped = given.service.stop();
  t.deepEqual(await requests.finish(), { downloaded: BIG_BYTES, uploaded: 201 });
  t.is(await stopped, 0);
  for (const name of ['api', 'ocr-worker', 'watcher', 'sync'])
    t.regex(given.service.output, new RegExp(`stopping.*"process":"${name}"`), `${name} stopped in order`);
  t.like(await job(), { status: 'pending', attempts: 0 });

  const again = await given.startAgain().ready();
  t.is((await (await again.login('admin')).waitForEnd(id, 120_000)).status, 'completed');
  t.is((await job())?.attempts, 1);
});
