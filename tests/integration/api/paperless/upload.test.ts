// A scan that arrives as scanservjs sends it, and its task until it has ended. One document at a time is in the queue.
import { claimJob } from '@sheaf/queue';
import { foldTermStatistics } from '@sheaf/search';
import { z } from 'zod';
import { listOf, PaperlessClient, swiftDocument, swiftTask9, swiftTask10 } from '../../../support/paperless.ts';
import { processWaiting } from '../../../support/processed-document.ts';
import { testWithApi } from '../../../support/running-api.ts';

const test = testWithApi({ FEATURE_PAPERLESS_API: 'true' });

test('a scan with its fields behind the file becomes a document, and its task goes from PENDING to SUCCESS', async (t) => {
  const { anyone, database } = t.context;
  const client = await PaperlessClient.signIn(anyone, 'admin');
  const next = await PaperlessClient.signIn(anyone, 'admin', 10);
  const [first, second] = [await client.create('tags', { name: 'Scan' }), await client.create('tags', { name: 'Inbox' })];
  const correspondent = await client.create('correspondents', { name: 'Waterworks' });
  const type = await client.create('document_types', { name: 'Bill' });
  const field = await client.create('custom_fields', { name: 'Total', data_type: 'monetary' });
  const fields = [
    ['title', 'Water 2026'],
    ['created', '2026-03-05'],
    ['correspondent', String(correspondent)],
    ['document_type', String(type)],
    ['tags', String(first)],
    ['tags', String(second)],
    ['archive_serial_number', '41'],
    ['custom_fields', JSON.stringify({ [field]: 'EUR12.50' })],
    ['from_webui', 'false'],
  ] as const;
  const uploaded = await client.upload('scan_2026-03-05 10.00.00.txt', 'the water bill', fields);
  t.is(uploaded.status, 200);
  const taskId = z.uuid().parse(uploaded.body);
  const taskOf = async () => (await client.read(`tasks/?task_id=${taskId}`, z.array(swiftTask9)))[0];
  t.like(await taskOf(), { status: 'PENDING', related_document: null, task_file_name: 'scan_2026-03-05 10.00.00.txt' });

  const again = await client.upload('again.txt', 'the water bill');
  t.is(again.status, 400);
  t.deepEqual(Object.keys(again.body as object), ['detail']);
  const taken = await client.upload('other.txt', 'another bill', [['archive_serial_number', '41']]);
  t.is(taken.status, 400);
  t.deepEqual(Object.keys(taken.body as object), ['archive_serial_number']);
  t.is((await client.read('documents/', listOf(swiftDocument))).count, 1);

  await processWaiting(database.db, taskId, 'the water bill');
  const task = await taskOf();
  t.is(task?.status, 'SUCCESS');
  const document = await client.read(`documents/${task?.related_document ?? ''}/`, swiftDocument);
  t.like(document, {
    title: 'Water 2026',
    created: '2026-03-05',
    correspondent,
    document_type: type,
    archive_serial_number: 41,
    content: 'the water bill',
    original_file_name: 'scan_2026-03-05 10.00.00.txt',
  });
  t.deepEqual(new Set(document.tags), new Set([first, second]));
  t.deepEqual(document.custom_fields, [{ field, value: 'EUR12.50' }]);
  t.is((await client.get('documents/next_asn/')).body, 42);

  const { count, results } = await next.read('tasks/?task_type=consume_file&acknowledged=false&page_size=100', listOf(swiftTask10));
  t.is(count, 1);
  t.like(results[0], {
    task_id: taskId,
    status: 'success',
    result_data: { document_id: document.id },
    related_document_ids: [document.id],
  });
  t.like(await next.read(`tasks/${results[0]?.id ?? 0}/`, swiftTask10), { task_id: taskId });
  t.deepEqual((await client.get('tasks/?acknowledged=true')).body, []);
  t.deepEqual((await client.get('tasks/?task_id=nonsense')).body, []);
  t.is((await client.read('documents/?query=water', listOf(swiftDocument))).results[0]?.id, document.id);
  await foldTermStatistics(database.db);
  t.deepEqual((await client.get('search/autocomplete/?term=wat')).body, ['water']);
  t.is((await client.post('documents/bulk_edit/', { documents: [document.id], method: 'reprocess', parameters: {} })).status, 200);
  t.is((await claimJob(database.db, 'worker', 60_000))?.documentId, taskId);
  t.is((await taskOf())?.status, 'STARTED');
});

test('what is wrong with the fields of an upload is told before anything is imported', async (t) => {
  const client = await PaperlessClient.signIn(t.context.anyone, 'admin');
  const before = (await client.read('documents/', listOf(swiftDocument))).count;
  const wrong = [
    ['tags', '999999'],
    ['tags', 'one'],
    ['correspondent', '999999'],
    ['storage_path', '1'],
    ['no_such_field', '1'],
    ['custom_fields', '{"1": '],
    ['custom_fields', '{"999999": 1}'],
    ['created', 'yesterday'],
  ] as const;
  for (const field of wrong) {
    const { status, body } = await client.upload('wrong.txt', `a paper with a wrong ${field.join(' ')}`, [field]);
    t.is(status, 400, field.join(' '));
    t.deepEqual(Object.keys(body as object), [field[0]], field.join(' '));
  }
  t.is((await client.upload('program.exe', 'MZ')).status, 400);
  const form = new FormData();
  form.append('file', new Blob(['text']), 'file.txt');
  t.is((await client.request('documents/post_document/', { method: 'POST', body: form })).status, 400);
  t.is((await client.read('documents/', listOf(swiftDocument))).count, before);
});
