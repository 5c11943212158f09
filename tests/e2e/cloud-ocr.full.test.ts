import test from 'ava';
import { openAzureReadStub, sendError } from '../support/azure-read-stub.ts';
import { givenService, READING_ALONE } from '../support/given-service.ts';
import { makeScan } from '../support/scan.ts';

const settings = (stub: { endpoint: string; key: string }) => ({
  OCR_ENGINE: 'cloud',
  CLOUD_OCR_ENDPOINT: stub.endpoint,
  CLOUD_OCR_KEY: stub.key,
  OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
});

test('with the cloud engine a scan is read by the service and a text is not sent there', async (t) => {
  await using stub = await openAzureReadStub({ text: [['Cloudy periwinkle invoice']] });
  await using given = await givenService(settings(stub), READING_ALONE);
  const admin = await (await given.service.ready()).register('admin');
  const { body: note } = await admin.upload({ name: 'note.txt', bytes: new TextEncoder().encode('stays at home') });
  t.is((await admin.waitForEnd(String(note['id']))).status, 'completed');
  t.is(stub.submitted.length, 0);
  const { body } = await admin.upload({ name: 'scan.tiff', bytes: await makeScan(['one', 'two']) });
  const document = await admin.waitForEnd(String(body['id']));
  t.is(document.status, 'completed', document.error?.message);
  t.is(stub.submitted.length, 2);
  t.deepEqual(await admin.find('periwinkle'), [document.id]);
  t.false(given.service.output.includes(stub.key), 'the key is in no log line');
});

test('a cloud engine that refuses the key fails the document at once and says which setting to look at', async (t) => {
  await using stub = await openAzureReadStub();
  await using given = await givenService({ ...settings(stub), CLOUD_OCR_KEY: 'wrong' }, READING_ALONE);
  const admin = await (await given.service.ready()).register('admin');
  const { body } = await admin.upload({ name: 'scan.tiff', bytes: await makeScan(['one']) });
  const document = await admin.waitForEnd(String(body['id']));
  t.is(document.status, 'failed');
  t.is(document.error?.code, 'ocr_refused');
  t.regex(document.error?.message ?? '', /CLOUD_OCR_KEY/);
});

test('a page that the cloud engine cannot take now is tried again later, and the document is never completed without it', async (t) => {
  t.timeout(3 * 120_000);
  await using stub = await openAzureReadStub({ text: [['Late marigold']] });
  for (let n = 0; n < 5; n += 1) stub.onSubmit.push((response) => sendError(response, 503, 'ServiceUnavailable', 'busy'));
  await using given = await givenService(settings(stub), READING_ALONE);
  const admin = await (await given.service.ready()).register('admin');
  const { body } = await admin.upload({ name: 'scan.tiff', bytes: await makeScan(['one']) });
  const document = await admin.waitForEnd(String(body['id']), 100_000);
  t.is(document.status, 'completed', document.error?.message);
  t.is(document.page_count, 1);
  t.deepEqual(await admin.find('marigold'), [document.id]);
});
