// Imports of exports that the generator of the corpus makes, compared with what it expects.
import type { ImportSummary, NotImported } from '@sheaf/imports';
import { givenUser, makeServiceFolder, openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import { runSheafHere } from '../../support/command-in-process.ts';
import { testWhere } from '../../support/conditional-test.ts';
import { countRows, type ImportedRow, readImported } from '../../support/imported-library.ts';
import { canMakePaperlessExports, makePaperlessExport } from '../../support/paperless-export.ts';

const generatorTest = testWhere(canMakePaperlessExports(), 'there is no generator of Paperless-ngx exports');

const expectedDocument = z.object({
  pk: z.number(),
  title: z.string(),
  date: z.string(),
  added: z.string(),
  original_filename: z.string(),
  asn: z.number().nullable(),
  tags: z.array(z.string()),
  correspondent: z.string().nullable(),
  type: z.string().nullable(),
  storage_path: z.string().nullable(),
  owner: z.string().nullable(),
  fields: z.record(z.string(), z.object({ type: z.string(), value: z.unknown() })),
  notes: z.array(z.object({ text: z.string(), user: z.string().nullable(), created: z.string() })),
  sha256: z.string(),
  content: z.string(),
  file_state: z.string(),
  in_trash: z.boolean(),
  version_of: z.number().nullable(),
  version_index: z.number().nullable(),
  duplicate_of: z.number().nullable(),
});
type Expected = z.infer<typeof expectedDocument>;

const expectations = z.object({
  documents: z.array(expectedDocument),
  tags: z.array(z.object({ name: z.string(), parent: z.string().nullable(), colour: z.string() })),
  correspondents: z.array(z.unknown()),
  document_types: z.array(z.unknown()),
  custom_fields: z.array(z.unknown()),
  saved_views: z.array(z.unknown()),
  counts: z.record(z.string(), z.number()),
  cannot_be_taken_over: z.array(z.object({ kind: z.string(), what: z.unknown(), why: z.string() })),
});
type Expectations = z.infer<typeof expectations>;

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

const ACCOUNTS: Readonly<Record<string, string>> = { 'bob.o-neil@example.org': 'bob-o-neil' };
const accountOf = (user: string | null): string => (user === null ? 'first' : (ACCOUNTS[user] ?? user));

const reasonsFor = (left: readonly NotImported[], pk: number, kind: string): readonly NotImported[] =>
  left.filter((one) => one.document === `paperless:${pk}` && one.kind === kind);

/** The names of the tags with those above them. */
const withAncestors = (names: readonly string[], { tags }: Expectations): string[] => {
  const all = new Set<string>();
  for (const start of names)
    for (let name: string | null = start; name !== null; name = tags.find((tag) => tag.name === name)?.parent ?? null) all.add(name);
  return [...all];
};

/** Of a chain of versions the document of its newest file. */
const fileOf = (expected: Expected, all: readonly Expected[]): Expected =>
  all.filter(({ version_of: root }) => root === expected.pk).toSorted((a, b) => (b.version_index ?? 0) - (a.version_index ?? 0))[0] ??
  expected;

const compareFields = (t: ExecutionContext, expected: Expected, row: ImportedRow, left: readonly NotImported[]): void => {
  const fields = row.fields ?? {};
  for (const [name, { type, value }] of Object.entries(expected.fields)) {
    if (value === null) continue;
    const found = fields[name];
    if (type === 'documentlink') {
      const links = [found, fields[`${name} 2`]].filter((link) => link !== undefined && link !== null);
      t.deepEqual(
        links,
        (value as number[]).map((pk) => `paperless:${pk}`),
        `${expected.pk} ${name}`,
      );
    } else if (found === undefined)
      t.true(
        reasonsFor(left, expected.pk, 'field value').some((one) => one.name === name),
        `${expected.pk} ${name}`,
      );
    else if (type === 'monetary') {
      const [, currency = 'EUR', amount] = /^([A-Z]{3})?(.*)$/.exec(value as string) ?? [];
      t.deepEqual(
        (found as string).split(' ').map((part, at) => (at === 0 ? part : Number(part))),
        [currency, Number(amount)],
      );
    } else t.deepEqual(found, typeof value === 'string' ? value.trim() : value, `${expected.pk} ${name}`);
  }
  t.is(fields['Storage path'] ?? null, expected.storage_path);
};

const compareDocument = (
  t: ExecutionContext,
  expected: Expected,
  all: Expectations,
  row: ImportedRow,
  left: readonly NotImported[],
): void => {
  const file = fileOf(expected, all.documents);
  const message = `document ${expected.pk}`;
  const joined = all.documents.filter(
    ({ pk, version_of: root }) =>
      root === expected.pk || (row.sha256 === all.documents.find((one) => one.pk === pk)?.sha256 && pk !== expected.pk),
  );
  t.is(row.title, expected.title.normalize('NFC').trim(), message);
  t.is(row.document_date, expected.date, message);
  t.is(row.added, expected.added, message);
  t.is(row.owner, accountOf(expected.owner), message);
  t.is(row.correspondent, expected.correspondent, message);
  t.is(row.type, expected.type, message);
  t.is(row.source, 'import', message);
  t.is(row.sha256, file.sha256, message);
  t.is(row.archive_number, expected.asn === null || expected.asn === 0 || expected.asn > 2_147_483_647 ? null : expected.asn, message);
  const ofDuplicates = joined.filter(({ version_of: root }) => root === null).flatMap(({ tags }) => tags);
  const labels = withAncestors(expected.tags, all);
  t.true(
    labels.every((label) => row.labels.includes(label)),
    message,
  );
  t.true(
    row.labels.every((label) => labels.includes(label) || withAncestors(ofDuplicates, all).includes(label)),
    message,
  );
  const hasText = file.content !== '';
  t.is(row.status, hasText ? 'completed' : 'pending', message);
  t.deepEqual([row.origins, row.jobs, row.is_indexed], hasText ? [['import'], 0, true] : [[], 1, false], message);
  if (hasText) t.true((row.content ?? '').startsWith(file.content), message);
  const notes = (row.notes ?? []).map(({ text, author, created }) => `${text} ${author ?? ''} ${created}`);
  for (const { text, user, created } of expected.notes)
    t.true(notes.includes(`${text} ${user === null ? '' : accountOf(user)} ${created}`), `${message} ${text}`);
  compareFields(t, expected, row, left);
};

const compare = async (t: ExecutionContext, database: TestDatabase, all: Expectations, summary: ImportSummary): Promise<void> => {
  const rows = await readImported(database);
  const { not_imported: left } = summary;
  for (const expected of all.documents) {
    const row = rows.get(`paperless:${expected.pk}`);
    const kinds = new Set(left.filter(({ document }) => document === `paperless:${expected.pk}`).map(({ kind }) => kind));
    if (expected.in_trash || expected.file_state === 'missing')
      t.true(row === undefined && kinds.has('document'), `document ${expected.pk}`);
    else if (expected.version_of !== null) t.is(row, undefined);
    else if (row === undefined) t.true(kinds.has('duplicate'), `document ${expected.pk} is missing`);
    else compareDocument(t, expected, all, row, left);
    if (expected.file_state === 'wrong checksum') t.true(kinds.has('document checksum'));
    if (expected.asn === 0 || expected.asn === 4_294_967_295) t.true(kinds.has('archive number'));
  }
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
  await compare(t, database, all, summary);
  t.like(summary, {
    labels: all.tags.length,
    correspondents: all.correspondents.length,
    document_types: all.document_types.length,
    fields: all.custom_fields.length,
    saved_searches: all.saved_views.length,
    users: 5,
  });
  const rows = await readImported(database);
  t.is(summary.documents.imported, rows.size);
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
    await compare(t, database, expectations.parse(expected), summary);
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
