// Imports of exports that the generator of the corpus makes, compared with what it expects.
import type { ImportSummary } from '@sheaf/imports';
import { restoreInTransaction } from '@sheaf/ingest/trash';
import { givenUser, makeServiceFolder, openTestDatabase } from '@sheaf/testkit';
import { runSheafHere } from '../../support/command-in-process.ts';
import { testWhere } from '../../support/conditional-test.ts';
import { compareImported, expectations } from '../../support/expected-import.ts';
import { countRows, readImported, readTrashed } from '../../support/imported-library.ts';
import { canMakePaperlessExports, makePaperlessExport } from '../../support/paperless-export.ts';

const generatorTest = testWhere(canMakePaperlessExports(), 'there is no generator of Paperless-ngx exports');

const open = async () => {
  const resources = new AsyncDisposableStack();
  const database = resources.use(await openTestDatabase());
  const folder = resources.use(await makeServiceFolder());
  await givenUser(database.db, { role: 'admin', username: 'first' });
  const env = { PATH: process.env['PATH'], DATA_PATH: folder.path, DATABASE_URL: database.url.reveal() };
  const run = async (path: string, ...args: readonly string[]) => {
    const { status, stdout, stderr } = await runSheafHere(['import', 'paperless', path, '--json', ...args], env);
    return { status, stderr, summary: stdout === '' ? undefined : (JSON.parse(stdout) as ImportSummary) };
  };
  return { database, folder: folder.path, run, [Symbol.asyncDispose]: () => resources.disposeAsync() };
};

/** What the generator says that cannot be taken over, by kind, and the kinds that report it. */
const REPORTED: Readonly<Record<string, string>> = {
  user: 'password',
  'tag rule': 'tag rule',
  'storage path': 'storage path',
  'saved view rule': 'saved view rule',
  'share link bundle': 'share link bundle',
  'mail account': 'mail account',
  workflow: 'workflow',
  settings: 'settings',
  'second factor': 'second factor',
  'single sign-on': 'single sign-on',
  permission: 'permission',
};

generatorTest('an export of 3.x with all that it can have: everything arrives or is reported, once, whatever happens', async (t) => {
  await using opened = await open();
  const { database, folder, run } = opened;
  const { path, expected } = await makePaperlessExport(`${folder}/export`, [
    '--version',
    '3.0.5',
    '--documents',
    '70',
    '--passphrase',
    'secret',
    '--hostile',
  ]);
  const all = expectations.parse(expected);
  const before = await countRows(database);
  const tried = await run(path, '--dry-run');
  t.is(tried.status, 1, tried.stderr);
  t.deepEqual(await countRows(database), before);

  const first = await run(path);
  t.is(first.status, 1, first.stderr);
  const { summary } = first;
  if (summary === undefined) throw new Error(first.stderr);
  await compareImported(t, database, all, summary);
  t.like(summary, {
    labels: all.tags.length,
    correspondents: all.correspondents.length,
    document_types: all.document_types.length,
    fields: all.custom_fields.length,
    saved_searches: all.saved_views.length,
    users: 5,
  });
  const rows = await readImported(database);
  t.is(summary.documents.imported, rows.size + (await readTrashed(database)).size);
  t.deepEqual(tried.summary?.documents, summary.documents);
  t.deepEqual(
    tried.summary?.not_imported.map(({ kind, name, document }) => `${kind} ${name} ${document}`).toSorted(),
    summary.not_imported.map(({ kind, name, document }) => `${kind} ${name} ${document}`).toSorted(),
  );
  const kinds = new Set(summary.not_imported.map(({ kind }) => kind));
  for (const { kind } of all.cannot_be_taken_over) t.true(kinds.has(REPORTED[kind] ?? 'document'), kind);
  t.is(summary.not_imported.filter(({ name }) => name.startsWith('hostile ')).length, 6);

  const after = await countRows(database);
  const again = await run(path);
  t.like(again.summary, {
    documents: { imported: 0, failed: summary.documents.failed },
    labels: 0,
    users: 0,
    notes: 0,
    fields: 0,
    rules: 0,
    saved_searches: 0,
  });
  t.deepEqual({ ...(await countRows(database)), ingest_ledger: 0 }, { ...after, ingest_ledger: 0 });

  const trashed = await readTrashed(database);
  for (const id of trashed.values()) await restoreInTransaction(database.db, id);
  t.is((await run(path)).summary?.documents.imported, 0);
  t.is((await readTrashed(database)).size, 0, 'what was restored stays');
  await compareImported(t, database, { ...all, documents: all.documents.map((each) => ({ ...each, in_trash: false })) }, summary);
});

for (const [version, args] of [
  ['2.20.15', ['-z', '-p', '--passphrase', 'secret']],
  ['2.12.0', ['-sm', '-na', '-nt']],
  ['2.7.2', ['-sm', '-z']],
] as const)
  generatorTest(`an export of ${version} with ${args.join(' ')}`, async (t) => {
    await using opened = await open();
    const { database, folder, run } = opened;
    const { path, expected } = await makePaperlessExport(`${folder}/export`, ['--version', version, ...args]);
    const { status, summary, stderr } = await run(path);
    t.is(status, 1, stderr);
    if (summary === undefined) throw new Error('no summary');
    await compareImported(t, database, expectations.parse(expected), summary);
    t.is(summary.documents.imported, (await readImported(database)).size);
  });

generatorTest('an export without files is refused, and one of another installation under the same name', async (t) => {
  await using opened = await open();
  const { database, folder, run } = opened;
  const dataOnly = await makePaperlessExport(`${folder}/a`, ['--data-only']);
  t.is((await run(dataOnly.path)).status, 78);
  const one = await makePaperlessExport(`${folder}/b`, ['--tiny', 'unique', '--seed', '7']);
  const other = await makePaperlessExport(`${folder}/c`, ['--tiny', 'unique', '--seed', '8']);
  t.is((await run(one.path)).summary?.documents.imported, 24);
  t.is((await run(other.path)).status, 78);
  t.is((await run(other.path, '--name', 'other')).summary?.documents.imported, 24);
  t.is((await readImported(database)).size, 48);
});
