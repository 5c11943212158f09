import { makeServiceFolder, openTestDatabase, RunningService } from '@sheaf/testkit';
import { SUPPORTED_EXTENSIONS } from '@sheaf/vocabulary/file-kinds';
import test from 'ava';
import { corpusPath, type OfficeEntry, officeCorpus } from '../support/corpus.ts';
import { READING_ALONE } from '../support/given-service.ts';

const corpus = officeCorpus();
const run = corpus === undefined ? test.skip : test;

/** A phrase as a person would search it: between quotation marks, without the marks of its own. */
const toQuery = ({ expect }: OfficeEntry): string =>
  expect.match === 'substring' ? expect.phrase : `"${expect.phrase.replaceAll('"', ' ')}"`;

run('office documents of the corpus, of every extension, are read, and found by their phrases', async (t) => {
  t.timeout(3 * 600_000);
  await using database = await openTestDatabase();
  await using folder = await makeServiceFolder();
  await using service = new RunningService({
    folder: folder.path,
    env: { DATABASE_URL: database.url.reveal(), ALLOWED_FILE_TYPES: SUPPORTED_EXTENSIONS.join(','), LOG_LEVEL: 'warn' },
    args: READING_ALONE,
  });
  const admin = await (await service.ready()).register('admin');
  const uploaded: { entry: OfficeEntry; id: string }[] = [];
  for (const entry of corpus ?? []) {
    const { status, body } = await admin.upload(corpusPath('office', entry.file));
    t.is(status, 201, `${entry.file}: ${JSON.stringify(body)}`);
    uploaded.push({ entry, id: String(body['id']) });
  }
  t.true(uploaded.length > 80);
  const missing: string[] = [];
  for (const { entry, id } of uploaded) {
    const document = await admin.waitForEnd(id, 900_000);
    if (document.status !== 'completed') missing.push(`${entry.file}: ${document.status}, ${document.error?.message ?? ''}`);
    else if (!(await admin.find(toQuery(entry))).includes(id)) missing.push(`${entry.file}: not found by ${toQuery(entry)}`);
  }
  t.deepEqual(missing, []);
});
