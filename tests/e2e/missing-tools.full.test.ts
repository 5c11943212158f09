import { healthBody } from '@sheaf/contract/operations';
import test from 'ava';
import { givenService } from '../support/given-service.ts';

test('where the tools to read with are missing, the service starts all the same, says what would install them, and reads what needs none', async (t) => {
  await using given = await givenService({ PATH: '/nowhere' });
  const anyone = await given.service.ready();
  const admin = await anyone.register('admin');
  const { body } = await anyone.get('/api/health');
  t.is(body['status'], 'warning');
  const problems = healthBody.parse(body).problems['ocr_engine'] ?? [];
  for (const [code, program] of [
    ['poppler_missing', 'poppler-utils'],
    ['libreoffice_missing', 'libreoffice-writer-nogui'],
  ] as const)
    t.regex(problems.find((problem) => problem.code === code)?.message ?? '', new RegExp(`apt-get install .*${program}`), code);
  t.is((await anyone.get('/ready')).status, 200);

  const { body: text } = await admin.upload({ name: 'plain.txt', bytes: new TextEncoder().encode('a plain text needs no tools') });
  t.is((await admin.waitForEnd(String(text['id']))).status, 'completed');
  const { body: pdf } = await admin.upload({ name: 'paper.pdf', bytes: new TextEncoder().encode('%PDF-1.4\n%%EOF\n') });
  const failed = await admin.waitForEnd(String(pdf['id']));
  t.is(failed.status, 'failed');
  t.is(failed.error?.code, 'tool_missing');
});
