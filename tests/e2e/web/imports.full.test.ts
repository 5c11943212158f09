// Imports of archives on their screen: a dry run of an upload, its report, the import; a path of the server that is not allowed.
import { join } from 'node:path';
import { makeZip } from '../../fixtures/zip.ts';
import { testInChromium, wholeService } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';

const PASSWORD = 'correct horse battery';
const LONG = { timeout: 120_000 };

const test = testInChromium(async (own) => {
  const whole = await wholeService()(own);
  return { ...whole, admin: await whole.anyone.register('ada') };
});

const document = (pk: number, title: string, file: string) => ({
  model: 'documents.document',
  pk,
  fields: { title, content: `the words of ${title}`, mime_type: 'text/plain', added: '2024-03-02T10:20:30.400Z', tags: [1] },
  __exported_file_name__: file,
});

const RECORDS = [
  { model: 'documents.tag', pk: 1, fields: { name: 'Garden', color: '#112233' } },
  { model: 'paperless_mail.mailaccount', pk: 1, fields: { name: 'Post box' } },
  document(1, 'Plan of the garden', 'plan.txt'),
  document(2, 'Lost letter', 'lost.txt'),
];

const EXPORT = makeZip([
  { name: 'metadata.json', text: JSON.stringify({ version: '2.20.15' }) },
  { name: 'manifest.json', text: JSON.stringify(RECORDS) },
  { name: 'plan.txt', text: 'the words of Plan of the garden' },
]);

test('an export is uploaded, tried, and imported; the report says what is not imported', async (t) => {
  const { open, served } = t.context;
  await using web = await open();
  const { page } = web;
  await web.signIn({ username: 'ada', password: PASSWORD });
  await web.go('/imports');
  await page.getByText(text('imports.none')).waitFor();
  const form = page.getByRole('region', { name: text('imports.new'), exact: true });
  await form.locator('input[type=file]').setInputFiles({ name: 'export.zip', mimeType: 'application/zip', buffer: EXPORT });
  t.deepEqual(await web.flaws('imports-new'), []);
  await form.getByRole('button', { name: text('imports.dryRun'), exact: true }).click();

  const dry = page.getByRole('region', { name: text('imports.reportOfDryRun') });
  await dry.getByText(text('imports.wouldImport')).waitFor(LONG);
  await dry.getByRole('cell', { name: 'Post box' }).waitFor();
  await dry.getByRole('cell', { name: 'Lost letter' }).waitFor();
  t.is((await served.admin.get('/api/documents')).body['data']?.toString(), '', 'a dry run writes nothing');
  t.deepEqual(await web.flaws('imports-dry-run'), []);

  await dry.getByRole('button', { name: text('imports.startNow') }).click();
  const report = page.getByRole('region', { name: text('imports.report'), exact: true });
  await report.getByText(text('imports.imported')).waitFor(LONG);
  const { body } = await served.admin.get('/api/documents');
  t.like(body, { data: [{ title: 'Plan of the garden', imported_from: 'paperless:1', labels: ['Garden'] }] });
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    report.getByRole('link', { name: text('imports.download') }).click(),
  ]);
  t.is(download.suggestedFilename(), 'import-report.csv');
  t.deepEqual(await web.flaws('imports-report'), []);
  t.deepEqual(web.offences, []);
});

test('a path of the server outside IMPORT_ROOTS is refused at its field', async (t) => {
  const { open, served } = t.context;
  await using web = await open({ size: 'telephone' });
  const { page } = web;
  await web.signIn({ username: 'ada', password: PASSWORD });
  await web.go('/imports');
  const form = page.getByRole('region', { name: text('imports.new'), exact: true });
  await form.getByText(text('imports.server'), { exact: true }).first().click();
  await form.getByLabel(text('imports.path')).last().fill(join(served.given.folder, 'uploads'));
  await form.getByRole('button', { name: text('imports.dryRun'), exact: true }).click();
  await form.getByRole('alert').getByText(text('issues.no_import_roots')).waitFor();
  t.deepEqual(await web.flaws('imports-refused'), []);
});
