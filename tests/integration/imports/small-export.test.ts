// An import of a small export that is made here, so that it means something without the corpus.
import { spawn } from 'node:child_process';
import { createHash, pbkdf2Sync } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImportSummary } from '@sheaf/imports';
import { drawScan, givenUser, makePdf, makeServiceFolder, makeSignedPdf, openTestDatabase } from '@sheaf/testkit';
import test from 'ava';
import { runSheafHere } from '../../support/command-in-process.ts';
import { fullOnly } from '../../support/full-run.ts';
import { BY_TOKEN, CLIENT, givenIdentity } from '../../support/given-identity.ts';
import { countRows, readImported } from '../../support/imported-library.ts';
import { waitFor } from '../../support/wait-for.ts';

const SHEAF = join(import.meta.dirname, '../../../bin/sheaf');
const ADDED = '2024-03-02T10:20:30.400Z';
const PASSWORD = 'Änna pässwörd';

const hashOf = (password: string): string => {
  const key = pbkdf2Sync(password, 'salt', 1_000, 32, 'sha256').toString('base64');
  return `pbkdf2_sha256$1000$salt$${key}`;
};

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

interface GivenDocument {
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly content: string;
  /** Of the file, where it is another one. */
  readonly file?: string | null;
}

const documentRecord = (pk: number, { fields, content }: GivenDocument) => ({
  model: 'documents.document',
  pk,
  fields: {
    title: `Document ${pk}`,
    content,
    mime_type: 'text/plain',
    checksum: md5(content),
    created: '2024-02-29',
    added: ADDED,
    modified: ADDED,
    original_filename: `scan ${pk}.txt`,
    owner: null,
    tags: [],
    ...fields,
  },
  __exported_file_name__: `originals/${pk}.txt`,
});

const OTHERS = [
  { model: 'documents.tag', pk: 1, fields: { name: 'Taxes', color: '#112233', matching_algorithm: 1, match: 'tax "tax office"' } },
  { model: 'documents.tag', pk: 2, fields: { name: '2024', color: 'blue', tn_parent: 1, matching_algorithm: 4, match: '[' } },
  { model: 'documents.correspondent', pk: 5, fields: { name: 'Northwind' } },
  {
    model: 'auth.user',
    pk: 3,
    fields: { username: 'anna', email: 'anna@example.org', password: hashOf(PASSWORD), is_active: true, is_superuser: false },
  },
  { model: 'auth.user', pk: 4, fields: { username: 'first', email: 'somebody@example.org', password: '!none', is_superuser: true } },
  { model: 'documents.customfield', pk: 1, fields: { name: 'Amount', data_type: 'monetary', extra_data: { default_currency: 'EUR' } } },
  { model: 'documents.customfieldinstance', pk: 1, fields: { document: 1, field: 1, value_monetary: '99.90' } },
  { model: 'documents.customfield', pk: 2, fields: { name: 'Pages', data_type: 'integer', extra_data: null } },
  { model: 'documents.customfieldinstance', pk: 2, fields: { document: 1, field: 2, value_int: 3 } },
  { model: 'documents.note', pk: 1, fields: { note: 'unusual footnote', created: ADDED, document: 1, user: 3 } },
  { model: 'documents.savedview', pk: 1, fields: { name: 'Tax view', owner: 3, sort_field: 'created', sort_reverse: true } },
  { model: 'documents.savedviewfilterrule', pk: 1, fields: { saved_view: 1, rule_type: 6, value: '1' } },
  { model: 'documents.savedviewfilterrule', pk: 2, fields: { saved_view: 1, rule_type: 21, value: '1' } },
];

const writeExport = async (folder: string, documents: readonly GivenDocument[], others: readonly object[] = OTHERS): Promise<string> => {
  const path = join(folder, 'export');
  await mkdir(join(path, 'originals'), { recursive: true });
  await writeFile(join(path, 'metadata.json'), JSON.stringify({ version: '2.20.15' }));
  const records = documents.map((given, at) => documentRecord(at + 1, given));
  await writeFile(join(path, 'manifest.json'), JSON.stringify([...others, ...records], null, 1));
  for (const [at, { content, file = content }] of documents.entries())
    if (file !== null) await writeFile(join(path, 'originals', `${at + 1}.txt`), file);
  return path;
};

const open = async () => {
  const resources = new AsyncDisposableStack();
  const database = resources.use(await openTestDatabase());
  const folder = resources.use(await makeServiceFolder());
  await givenUser(database.db, { role: 'admin', username: 'first' });
  const env = {
    PATH: process.env['PATH'],
    DATA_PATH: join(folder.path, 'data'),
    UPLOAD_PATH: join(folder.path, 'uploads'),
    DATABASE_URL: database.url.reveal(),
  };
  const run = async (path: string, ...args: readonly string[]) => runWith({}, path, ...args);
  const runWith = async (more: Readonly<Record<string, string>>, path: string, ...args: readonly string[]) => {
    const { status, stdout, stderr } = await runSheafHere(['import', 'paperless', path, '--json', ...args], { ...env, ...more });
    return { status, stderr, summary: stdout === '' ? undefined : (JSON.parse(stdout) as ImportSummary) };
  };
  return { database, env, folder: folder.path, run, runWith, [Symbol.asyncDispose]: () => resources.disposeAsync() };
};

test('documents come with everything that is known of them, and what cannot come is named', async (t) => {
  await using opened = await open();
  const { database, folder, run } = opened;
  const path = await writeExport(folder, [
    { content: 'first page\fsecond page', fields: { owner: 3, tags: [2], correspondent: 5, archive_serial_number: 12, page_count: 2 } },
    { content: 'as it was', file: 'changed since' },
    { content: 'gone', file: null },
    { content: 'same bytes', fields: { owner: 3 } },
    { content: 'same bytes', fields: { owner: 3, tags: [1] } },
    { content: '', file: 'to be read', fields: { checksum: md5('to be read') } },
    { content: 'number is taken', fields: { archive_serial_number: 12 } },
  ]);
  const before = await countRows(database);
  const tried = await run(path, '--dry-run');
  t.is(tried.status, 1, tried.stderr);
  t.deepEqual(await countRows(database), before);

  const { summary, stderr } = await run(path);
  if (summary === undefined) throw new Error(stderr);
  t.like(summary, {
    documents: { imported: 5, skipped: 1, failed: 1 },
    labels: 2,
    users: 2,
    notes: 1,
    fields: 2,
    rules: 1,
    saved_searches: 1,
    queued: 1,
  });
  t.deepEqual(summary.checksums, { verified: 5, wrong: 1 });
  const rows = await readImported(database);
  t.deepEqual([...rows.keys()], ['paperless:1', 'paperless:2', 'paperless:4', 'paperless:6', 'paperless:7']);
  t.like(rows.get('paperless:1'), {
    title: 'Document 1',
    filename: 'scan 1.txt',
    document_date: '2024-02-29',
    added: ADDED,
    owner: 'anna',
    correspondent: 'Northwind',
    status: 'completed',
    labels: ['2024', 'Taxes'],
    fields: { Amount: 'EUR 99.90' },
    notes: [{ text: 'unusual footnote', author: 'anna', created: ADDED }],
    content: 'first page\fsecond page',
    origins: ['import'],
    jobs: 0,
  });
  t.true(['document_date', 'correspondent'].every((field) => rows.get('paperless:1')?.confirmed.includes(field)));
  t.deepEqual(rows.get('paperless:4')?.labels, ['Taxes']);
  t.like(rows.get('paperless:6'), { status: 'pending', jobs: 1, owner: 'first', origins: [] });
  // several documents are imported at the same time: one of the two has the number
  const withNumber = ['paperless:1', 'paperless:7'].filter((id) => rows.get(id)?.archive_number === 12);
  t.is(withNumber.length, 1);
  const words = await database.pool.query(
    "select imported_from from documents join document_search on document_id = id where words @@ 'footnot'::tsquery",
  );
  t.deepEqual(words.rows, [{ imported_from: 'paperless:1' }]);
  const left = summary.not_imported.map(({ kind, name, document }) => [kind, name, document]);
  for (const expected of [
    ['label colour', '2024', null],
    ['tag rule', '2024', null],
    ['username', 'first', null],
    ['password', 'first', null],
    ['document checksum', 'Document 2', 'paperless:2'],
    ['document', 'Document 3', 'paperless:3'],
    ['duplicate', 'Document 5', 'paperless:5'],
    ['archive number', '12', withNumber[0] === 'paperless:1' ? 'paperless:7' : 'paperless:1'],
    ['saved view rule', 'Tax view: rule 21', null],
  ])
    t.true(
      left.some((one) => one.every((part, at) => part === expected[at])),
      expected.join(' '),
    );
  t.like(
    (await database.pool.query('select username, role, password_hash from users where email = $1', ['somebody@example.org'])).rows[0],
    {
      username: 'first-2',
      role: 'admin',
      password_hash: null,
    },
  );
  t.like((await database.pool.query('select query, filters, sort, sort_order from saved_searches')).rows[0], {
    sort: 'document_date',
    sort_order: 'desc',
  });
});

test('a user signs in with the password of the other system, whose hash is then replaced', async (t) => {
  await using opened = await open();
  const { database, folder, run } = opened;
  await run(await writeExport(folder, [{ content: 'one' }]));
  const { identity } = givenIdentity(database.db);
  const hashNow = async () =>
    (await database.pool.query<{ hash: string }>("select password_hash as hash from users where username = 'anna'")).rows[0]?.hash;
  await t.throwsAsync(identity.signIn.withPassword('anna', 'wrong', CLIENT, BY_TOKEN));
  t.is(await hashNow(), hashOf(PASSWORD));
  t.true('token' in (await identity.signIn.withPassword('anna', PASSWORD, CLIENT, BY_TOKEN)).answer);
  t.regex((await hashNow()) ?? '', /^\$argon2id\$/);
  t.true('token' in (await identity.signIn.withPassword('anna@example.org', PASSWORD, CLIENT, BY_TOKEN)).answer);
});

test('an import that is killed goes on where it was, and a later one adds what is new and brings nothing back', async (t) => {
  await using opened = await open();
  const { database, env, folder, run } = opened;
  const documents = Array.from({ length: 300 }, (_, at) => ({ content: `text of document ${at}`, fields: { tags: [2] } }));
  const path = await writeExport(folder, documents);
  const child = spawn(SHEAF, ['import', 'paperless', path, '--json'], { env, stdio: 'ignore' });
  const ended = once(child, 'exit');
  const count = async () => (await countRows(database, ['documents']))['documents'] ?? 0;
  await waitFor(async () => (await count()) > 20, { limitMs: 30_000, description: 'some documents' });
  child.kill('SIGKILL');
  await ended;
  const killedAt = await count();
  t.true(killedAt < 300, `killed after ${killedAt}`);
  const rest = await run(path);
  t.like(rest.summary, { documents: { imported: 300 - killedAt, skipped: killedAt, failed: 0 }, already_imported: killedAt, labels: 0 });
  t.deepEqual(await countRows(database, ['documents', 'document_labels', 'document_notes', 'labels', 'users']), {
    documents: 300,
    document_labels: 600,
    document_notes: 1,
    labels: 2,
    users: 3,
  });
  await database.pool.query("delete from documents where imported_from = 'paperless:9'");
  await writeExport(folder, [...documents, { content: 'one more' }]);
  t.like((await run(path)).summary, { documents: { imported: 1, skipped: 300, failed: 0 } });
  t.is((await readImported(database)).has('paperless:9'), false);
  t.deepEqual((await database.pool.query('select state from imports order by started_at')).rows, [
    { state: 'failed' },
    { state: 'completed' },
    { state: 'completed' },
  ]);
});

fullOnly(test)(
  'a custom field without a value stays on its document, takes a value of a later export, and comes back neither',
  async (t) => {
    await using opened = await open();
    const { database, folder, run } = opened;
    const instance = (value: string | null) => [
      { model: 'documents.customfield', pk: 3, fields: { name: 'Case', data_type: 'string', extra_data: null } },
      { model: 'documents.customfieldinstance', pk: 3, fields: { document: 1, field: 3, value_text: value } },
    ];
    const write = (value: string | null) => writeExport(folder, [{ content: 'a letter' }], [...OTHERS, ...instance(value)]);
    const imported = async () => (await readImported(database)).get('paperless:1');
    const caseOf = async () => (await imported())?.fields?.['Case'];
    await run(await write(null));
    t.is(await caseOf(), null);
    t.is((await imported())?.confirmed.filter((name) => name.startsWith('field:')).length, 2, 'rules may fill it');
    await database.pool.query('delete from document_fields where text_value is null and number_value is null');
    await run(await write(null));
    t.is(await caseOf(), undefined, 'what was removed here stays away');
    await database.pool.query(
      "insert into document_fields (document_id, field_id) select documents.id, custom_fields.id from documents, custom_fields where name = 'Case'",
    );
    await run(await write('A-1'));
    t.is(await caseOf(), 'A-1');
  },
);

test('users who are no superusers see nothing but their own documents; where ROLES_FILE lacks their role, the account is disabled', async (t) => {
  await using opened = await open();
  const { database, folder, run } = opened;
  const rights = [
    { model: 'auth.permission', pk: 1, fields: { codename: 'change_document' } },
    { model: 'auth.group', pk: 1, fields: { name: 'Office', permissions: [1] } },
    {
      model: 'auth.user',
      pk: 9,
      fields: { username: 'bert', email: 'bert@example.org', password: hashOf(PASSWORD), is_active: true, groups: [1] },
    },
  ];
  const path = await writeExport(folder, [{ content: 'of anna', fields: { owner: 3 } }], [...OTHERS, ...rights]);
  t.is((await run(path)).status, 1);
  const readUsers = async (from: typeof database) =>
    (
      await from.pool.query<{ username: string; role: string; usable: boolean }>(
        "select username, role, disabled_at is null as usable from users where username in ('anna', 'bert') order by username",
      )
    ).rows;
  t.deepEqual(await readUsers(database), [
    { username: 'anna', role: 'imported-viewer', usable: true },
    { username: 'bert', role: 'imported-editor', usable: true },
  ]);
  const { rows } = await database.pool.query<{ name: string; permissions: string[] }>('select name, permissions from roles order by name');
  t.deepEqual(
    rows.map(({ name }) => name),
    ['imported-editor', 'imported-viewer'],
  );
  t.false(rows.some(({ permissions }) => permissions.includes('documents.read') || permissions.includes('search.query')));

  await using other = await open();
  const rolesFile = join(folder, 'roles.json');
  await writeFile(rolesFile, JSON.stringify({ roles: { reader: { permissions: ['documents.read'] } } }));
  const { summary, stderr } = await other.runWith({ ROLES_FILE: rolesFile }, path);
  t.true(
    summary?.not_imported.some(({ kind, name }) => kind === 'role' && name === 'anna'),
    stderr,
  );
  t.deepEqual(await readUsers(other.database), [
    { username: 'anna', role: 'viewer', usable: false },
    { username: 'bert', role: 'viewer', usable: false },
  ]);
});

const GERMAN = 'Sehr geehrte Damen und Herren, hiermit kündige ich den Vertrag über die Wohnung in der Gartenstraße zum Ende des Jahres. ';

test('imported text has its language, an office file its PDF as preview, and what was deleted here is named where it is missing', async (t) => {
  await using opened = await open();
  const { database, folder, run } = opened;
  const rtf = '{\\rtf1\\ansi a letter}';
  const letter = {
    fields: { tags: [1], correspondent: 5, content: GERMAN.repeat(2), mime_type: 'text/rtf', original_filename: 'letter.rtf' },
    content: rtf,
  };
  const path = await writeExport(folder, [letter]);
  const manifest = JSON.parse(await readFile(join(path, 'manifest.json'), 'utf8')) as Record<string, unknown>[];
  const withPdf = manifest.map((record) =>
    record['model'] === 'documents.document' ? { ...record, __exported_archive_name__: 'archive/1.pdf' } : record,
  );
  await writeFile(join(path, 'manifest.json'), JSON.stringify(withPdf));
  await mkdir(join(path, 'archive'));
  await writeFile(join(path, 'archive/1.pdf'), makePdf([{ lines: ['a letter'] }]));
  t.like((await run(path)).summary?.documents, { imported: 1, failed: 0 });
  const { rows } = await database.pool.query<{ language: string; page: string; sha256: string }>(
    `select d.language, p.language as page, d.sha256 from documents d join document_pages p on p.document_id = d.id`,
  );
  t.like(rows, [{ language: 'deu', page: 'deu' }]);
  const sha256 = rows[0]?.sha256 ?? '';
  const preview = join(folder, 'uploads/previews', sha256.slice(0, 2), sha256.slice(2, 4), `${sha256}.pdf`);
  t.deepEqual(await readFile(preview), await readFile(join(path, 'archive/1.pdf')));

  await database.pool.query(`delete from document_labels; delete from labels where name = 'Taxes'; update documents set correspondent_id = null;
    delete from correspondents where name = 'Northwind'`);
  await rm(path, { recursive: true });
  await writeExport(folder, [letter, { fields: { tags: [1], correspondent: 5 }, content: 'another letter' }]);
  const { summary } = await run(path);
  t.deepEqual(
    summary?.not_imported.filter(({ document }) => document === 'paperless:2').map(({ kind, name }) => [kind, name]),
    [
      ['correspondent', 'Northwind'],
      ['label', 'Taxes'],
    ],
  );
});

fullOnly(test)('imported PDFs are known to be signed, also with their text from the other system', async (t) => {
  await using opened = await open();
  const { database, folder, run } = opened;
  const pdfs = [
    await makeSignedPdf([{ lines: ['a contract'] }], 'Ada'),
    await makeSignedPdf([{ picture: await drawScan(['A large scan']) }], 'Ada'),
    makePdf([{ lines: ['nobody signed, but /ByteRange is here'] }]),
  ];
  const hash = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');
  const given = pdfs.map((bytes, at) => ({
    content: `text ${at + 1}`,
    fields: { mime_type: 'application/pdf', original_filename: `${at + 1}.pdf`, checksum: hash(bytes) },
  }));
  const path = await writeExport(folder, given);
  for (const [at, bytes] of pdfs.entries()) await writeFile(join(path, `originals/${at + 1}.txt`), bytes);
  const { summary, stderr } = await run(path);
  t.like(summary?.documents, { imported: 3, failed: 0 }, stderr);
  const { rows } = await database.pool.query<{ filename: string; is_signed: boolean }>(
    'select filename, is_signed from documents order by filename',
  );
  t.deepEqual(
    rows.map(({ is_signed: isSigned }) => isSigned),
    [true, true, false],
  );
});
