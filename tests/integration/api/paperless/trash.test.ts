import { z } from 'zod';
import { listOf, PaperlessClient, swiftDocument } from '../../../support/paperless.ts';
import { testWithApi } from '../../../support/running-api.ts';

const test = testWithApi({ FEATURE_PAPERLESS_API: 'true', TRASH_RETENTION_DAYS: '7' });

const trashed = listOf(swiftDocument.extend({ deleted_at: z.iso.datetime() }));

test.serial('apps list the trash, restore documents and remove those that they name', async (t) => {
  const { anyone, admin } = t.context;
  const client = await PaperlessClient.signIn(anyone, 'admin');
  for (const name of ['First', 'Second', 'Third']) await client.upload(`${name}.txt`, `text of ${name}`, [['title', name]]);
  const numbers = await Promise.all(['First', 'Second', 'Third'].map((name) => client.numberOf(name)));
  const [first = 0, second = 0, third = 0] = numbers;
  for (const number of numbers) t.is((await client.send('DELETE', `documents/${number}/`)).status, 204);
  t.is((await client.get(`documents/${first}/`)).status, 404);

  const listed = await client.read('trash/?page_size=2', trashed);
  t.like(listed, { count: 3, results: [{ id: third, title: 'Third' }, { id: second }] });
  t.true(listed.next?.endsWith('/paperless/api/trash/?page_size=2&page=2'));

  await admin.register('eve', 'editor');
  const stranger = await PaperlessClient.signIn(anyone, 'eve');
  t.is((await stranger.read('trash/', trashed)).count, 0);
  for (const action of ['restore', 'empty']) t.is((await stranger.post('trash/', { documents: [first], action })).status, 404, action);

  t.like(await client.post('trash/', { documents: [first], action: 'restore' }), { status: 200, body: { result: 'OK', doc_ids: [first] } });
  t.is((await client.read(`documents/${first}/`, swiftDocument)).title, 'First');
  for (const wrong of [{ action: 'empty' }, { action: 'empty', documents: [] }, { action: 'burn', documents: [second] }])
    t.is((await client.post('trash/', wrong)).status, 400, JSON.stringify(wrong));
  t.is((await client.read('trash/', trashed)).count, 2);
  t.is((await client.post('trash/', { documents: [second], action: 'empty' })).status, 200);
  t.deepEqual(
    (await client.read('trash/', trashed)).results.map(({ id }) => id),
    [third],
  );
  t.is((await client.post('trash/', { documents: [second], action: 'restore' })).status, 404);
});

test.serial('the file of a document in the trash is shown to those who see it there, and settings name its days', async (t) => {
  const { anyone, admin } = t.context;
  const client = await PaperlessClient.signIn(anyone, 'admin');
  await client.upload('Shown.txt', 'still to be seen', [['title', 'Shown in the trash']]);
  const number = await client.numberOf('Shown in the trash');
  t.is((await client.send('DELETE', `documents/${number}/`)).status, 204);
  for (const path of ['preview', 'download'])
    t.like(await client.get(`documents/${number}/${path}/`), { status: 200, body: 'still to be seen' });
  t.is((await client.get(`documents/${number}/thumb/`)).status, 200);
  t.is((await client.get(`documents/${number}/metadata/`)).status, 404);
  await admin.register('mallory', 'viewer');
  const stranger = await PaperlessClient.signIn(anyone, 'mallory');
  for (const path of ['preview', 'download', 'thumb']) t.is((await stranger.get(`documents/${number}/${path}/`)).status, 404, path);
  t.like((await client.get('ui_settings/')).body, { settings: { trash_delay: 7 } });
});
