// Imports of folders, and of the archives of Docspell, Papra and Readur, in forms that are made here.
import { createHash } from 'node:crypto';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ImportSummary } from '@sheaf/imports';
import { givenUser, makePdf, makeServiceFolder, openTestDatabase } from '@sheaf/testkit';
import test from 'ava';
import { runSheafHere } from '../../support/command-in-process.ts';
import { countRows, readImported } from '../../support/imported-library.ts';

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const open = async () => {
  const resources = new AsyncDisposableStack();
  const database = resources.use(await openTestDatabase());
  const folder = resources.use(await makeServiceFolder());
  await givenUser(database.db, { role: 'admin', username: 'first' });
  await givenUser(database.db, { role: 'editor', username: 'anna' });
  const env = { PATH: process.env['PATH'], DATA_PATH: folder.path, DATABASE_URL: database.url.reveal() };
  const source = join(folder.path, 'from');
  const put = async (path: string, bytes: Buffer | string): Promise<Buffer> => {
    await mkdir(dirname(join(source, path)), { recursive: true });
    await writeFile(join(source, path), bytes);
    return Buffer.from(bytes);
  };
  const run = async (kind: string, ...args: readonly string[]) => {
    const { status, stdout, stderr } = await runSheafHere(['import', kind, source, '--json', ...args], env);
    return { status, stderr, summary: stdout === '' ? undefined : (JSON.parse(stdout) as ImportSummary) };
  };
  return { database, source, put, run, [Symbol.asyncDispose]: () => resources.disposeAsync() };
};

test('a folder: its folders become labels, names tell the day, files beside a document tell more; a second run adds what is new', async (t) => {
  await using opened = await open();
  const { database, source, put, run } = opened;
  const invoice = await put('Finance/Tax/2023-04-05 Invoice.pdf', makePdf([{ lines: ['one'] }]));
  await put('Office/2023/Letter.txt', 'a letter');
  await put('Private/2023/Card.txt', 'a card');
  await put('Scans/paper.txt', 'what stands in the file');
  const sidecar = {
    title: 'The paper',
    tags: ['Finance/Tax'],
    correspondent: 'ACME',
    type: 'Contract',
    asn: 7,
    date: '2020-02-29',
    notes: ['Seen'],
    text: 'known text',
  };
  await put('Scans/paper.txt.json', JSON.stringify(sidecar));
  await put('Scans/broken.txt', 'broken');
  await put('Scans/broken.json', '{');
  await put('Scans/alone.json', '{}');
  await put('Scans/program.exe', 'MZ');
  await put('.hidden/secret.txt', 'hidden');
  await symlink('/etc/passwd', join(source, 'Scans/link.txt'));

  const dry = await run('folder', '--dry-run');
  t.is(dry.status, 1, dry.stderr);
  t.is(dry.summary?.documents.imported, 5);
  t.is((await countRows(database))['documents'], 0, 'a dry run writes nothing');
  t.is((await countRows(database))['labels'], 0);

  const { status, summary, stderr } = await run('folder', '--owner', 'anna');
  t.is(status, 1, stderr);
  t.deepEqual(summary?.documents, { imported: 5, skipped: 0, failed: 1 });
  t.deepEqual(summary?.not_imported.map(({ kind, name, document }) => [kind, name, document]).toSorted(), [
    ['document', 'program', 'folder:Scans/program.exe'],
    ['file', 'Scans/alone.json', null],
    ['link', 'Scans/link.txt', null],
    ['sidecar', 'Scans/broken.json', 'folder:Scans/broken.txt'],
  ]);
  const rows = await readImported(database);
  t.like(rows.get('folder:Finance/Tax/2023-04-05 Invoice.pdf'), {
    document_date: '2023-04-05',
    title: '2023-04-05 Invoice',
    owner: 'anna',
    status: 'pending',
    jobs: 1,
    labels: ['Finance', 'Tax'],
    confirmed: ['document_date'],
    sha256: sha256(invoice),
  });
  t.like(rows.get('folder:Scans/paper.txt'), {
    title: 'The paper',
    correspondent: 'ACME',
    type: 'Contract',
    archive_number: 7,
    document_date: '2020-02-29',
    labels: ['Finance', 'Scans', 'Tax'],
    content: 'known text',
    status: 'completed',
    jobs: 0,
    is_indexed: true,
  });
  t.is(rows.get('folder:Scans/paper.txt')?.notes?.[0]?.text, 'Seen');
  const years = ['Office/2023/Letter.txt', 'Private/2023/Card.txt'].map((path) =>
    rows.get(`folder:${path}`)?.labels.find((name) => name.endsWith('2023')),
  );
  t.true(years.includes('2023'), years.join());
  t.true(years.includes('Office 2023') || years.includes('Private 2023'), 'names of labels are unique');

  await put('Finance/new.txt', 'new');
  const again = await run('folder', '--owner', 'anna');
  t.like(again.summary, { documents: { imported: 1, skipped: 5, failed: 1 }, already_imported: 5, labels: 0, correspondents: 0 });
  t.is((await readImported(database)).size, 6);
});

test('a folder by a pattern; paths that do not fit it are imported with their folders as labels, and reported', async (t) => {
  await using opened = await open();
  const { database, put, run } = opened;
  await put('ACME/2023/2023-04-05 Invoice.txt', 'a');
  await put('acme/Invoice.txt', 'b');
  const { summary } = await run('folder', '--pattern', '{correspondent}/{year}/{date} {title}', '--name', 'old');
  t.deepEqual(
    summary?.not_imported.map(({ kind, document }) => [kind, document]),
    [['path', 'old:acme/Invoice.txt']],
  );
  const rows = await readImported(database);
  t.like(rows.get('old:ACME/2023/2023-04-05 Invoice.txt'), {
    correspondent: 'ACME',
    title: 'Invoice',
    document_date: '2023-04-05',
    labels: [],
  });
  t.like(rows.get('old:acme/Invoice.txt'), { correspondent: null, labels: ['acme'] });

  t.is((await run('folder', '--pattern', '{sender}/{title}')).status, 78);
  t.is((await run('papra', '--pattern', '{title}')).status, 2);
  t.is((await run('docspell')).status, 78);
  t.is((await run('papra')).status, 78);
});

test('items of dsc export: each file is a document with what is known of its item', async (t) => {
  await using opened = await open();
  const { database, put, run } = opened;
  const item = {
    id: 'ABcd-1',
    name: 'Water bill',
    state: 'confirmed',
    date: Date.UTC(2022, 1, 3, 12),
    due_date: Date.UTC(2022, 2, 3),
    source: 'integration',
    corr_org: { id: 'o', name: 'Stadtwerke' },
    corr_person: { id: 'p', name: 'Anna' },
    conc_equip: { id: 'e', name: 'House' },
    folder: { id: 'f', name: 'Home/Bills' },
    attachments: [],
    tags: [
      { id: 't1', name: 'Invoice', category: 'doctype', created: 0 },
      { id: 't2', name: 'Done', category: 'state', created: 0 },
      { id: 't3', name: 'Water', category: null, created: 0 },
    ],
    customfields: [{ id: 'c', name: 'amount', label: 'Amount', ftype: 'money', value: '12.50' }],
    notes: 'Paid late',
    highlighting: [],
  };
  await put('items/AB/ABcd-1/metadata.json', JSON.stringify(item));
  await put('items/AB/ABcd-1/files/bill.txt', 'the bill');
  await put('items/AB/ABcd-1/files/receipt.txt', 'the receipt');
  await put('items/XY/XYz/metadata.json', JSON.stringify({ ...item, id: 'XYz', name: 'No files' }));
  await put('items/ZZ/ZZz/metadata.json', '[]');
  await put('by_tag/Water/elsewhere.txt', 'not read');
  const { summary } = await run('docspell');
  t.deepEqual(summary?.documents, { imported: 2, skipped: 0, failed: 0 });
  t.deepEqual(summary?.not_imported.map(({ kind, name }) => [kind, name]).toSorted(), [
    ['item', 'No files'],
    ['item', 'ZZ/ZZz'],
  ]);
  const row = (await readImported(database)).get('docspell:ABcd-1/bill.txt');
  t.like(row, {
    title: 'Water bill: bill',
    correspondent: 'Stadtwerke',
    type: 'Invoice',
    document_date: '2022-02-03',
    labels: ['Bills', 'Done', 'Home', 'Water', 'state'].toSorted(),
  });
  t.deepEqual(row?.notes?.map(({ text }) => text).toSorted(), [
    'Correspondent (person): Anna\nEquipment: House\nDue date: 2022-03-03\nAmount: 12.50',
    'Paid late',
  ]);
});

test("Papra's data folder: documents with text, tags, notes and checksums; what is in the trash or encrypted is reported", async (t) => {
  await using opened = await open();
  const { database, source, put, run } = opened;
  const bytes = await put('documents/org_1/originals/doc_1.txt', 'hello');
  await mkdir(join(source, 'db'));
  const papra = new DatabaseSync(join(source, 'db/db.sqlite'));
  papra.exec(`
    create table organizations (id text primary key, name text);
    create table documents (id text primary key, created_at integer, updated_at integer, organization_id text, original_name text, original_storage_key text,
      original_sha256_hash text, name text, mime_type text, content text, document_date integer, notes text, file_encryption_algorithm text, is_deleted integer);
    create table tags (id text primary key, organization_id text, name text);
    create table documents_tags (document_id text, tag_id text);
    insert into organizations values ('org_1', 'Home');
    insert into tags values ('tag_1', 'org_1', 'Water');
    insert into documents_tags values ('doc_1', 'tag_1');`);
  const insert = papra.prepare('insert into documents values (?, 1650000000000, 1650000000000, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const day = Date.UTC(2022, 1, 2, 23);
  insert.run(
    'doc_1',
    'org_1',
    'bill.txt',
    'org_1/originals/doc_1.txt',
    sha256(bytes),
    'The bill',
    'text/plain',
    'hello',
    day,
    'Paid',
    null,
    0,
  );
  insert.run('doc_2', 'org_1', 'gone.txt', 'org_1/originals/doc_2.txt', 'ab', 'Gone', 'text/plain', '', null, null, null, 0);
  insert.run('doc_3', 'org_1', 'trash.txt', 'x', 'ab', 'Trash', 'text/plain', '', null, null, null, 1);
  insert.run('doc_4', 'org_1', 'enc.txt', 'x', 'ab', 'Encrypted', 'text/plain', '', null, null, 'aes-256-gcm', 0);
  insert.run('doc_5', 'org_1', 'out.txt', '../../../etc/passwd', 'ab', 'Outside', 'text/plain', '', null, null, null, 0);
  papra.close();
  const { summary } = await run('papra');
  t.like(summary, { documents: { imported: 1, skipped: 0, failed: 2 }, checksums: { verified: 1, wrong: 0 } });
  t.deepEqual(summary?.not_imported.map(({ name }) => name).toSorted(), ['Encrypted', 'Gone', 'Outside', 'Trash']);
  t.like((await readImported(database)).get('papra:doc_1'), {
    title: 'The bill',
    document_date: '2022-02-03',
    labels: ['Water'],
    content: 'hello',
    added: '2022-04-15T05:20:00.000Z',
    status: 'completed',
  });
});

test("Readur's database and its upload folder", async (t) => {
  await using opened = await open();
  const { database, put, run } = opened;
  await using readur = await openTestDatabase({ empty: true });
  const bytes = await put('documents/1.txt', 'hello');
  await readur.pool.query(`
    create table users (id uuid primary key default gen_random_uuid(), username text);
    create table documents (id uuid primary key default gen_random_uuid(), filename text, original_filename text, file_path text, content text, ocr_text text,
      tags text[] default '{}', file_hash varchar(64), created_at timestamptz default now(), updated_at timestamptz default now(), user_id uuid);
    create table labels (id uuid primary key default gen_random_uuid(), name text);
    create table document_labels (document_id uuid, label_id uuid);
    insert into users (username) values ('readur-user');
    insert into labels (name) values ('Important');`);
  await readur.pool.query(
    `with made as (
      insert into documents (filename, original_filename, file_path, ocr_text, tags, file_hash) values
        ('1.txt', 'bill.txt', '/app/uploads/documents/1.txt', 'hello', '{water}', $1), ('2.txt', 'gone.txt', './uploads/documents/2.txt', null, '{}', null)
      returning id, filename)
    insert into document_labels select made.id, labels.id from made, labels where filename = '1.txt'`,
    [sha256(bytes)],
  );
  await put('../url', readur.url.reveal());
  const { summary, stderr } = await run('readur', '--database-url-file', join(opened.source, '../url'));
  t.like(summary, { documents: { imported: 1, skipped: 0, failed: 1 }, checksums: { verified: 1 } }, stderr);
  t.deepEqual(summary?.not_imported.map(({ kind, name }) => [kind, name]).toSorted(), [
    ['document', 'gone.txt'],
    ['user', 'readur-user'],
  ]);
  const [row] = [...(await readImported(database)).values()];
  t.like(row, { title: 'bill', labels: ['Important', 'water'], content: 'hello', status: 'completed' });
  t.is((await run('readur')).status, 2, 'the database has to be named');
});

test('mail: messages become PDFs with their text, what came with them documents; mailboxes become labels', async (t) => {
  t.timeout(3 * 60_000);
  await using opened = await open();
  const { database, put, run } = opened;
  const message = (subject: string, id: string): string =>
    [
      'From: ACME <billing@example.org>',
      'To: anna@example.org',
      `Subject: ${subject}`,
      'Date: Tue, 3 Mar 2026 09:15:00 +0100',
      `Message-ID: <${id}@example.org>`,
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=x',
      '',
      '--x',
      'Content-Type: text/plain; charset=utf-8',
      '',
      `The bill of ${subject} ☂`,
      '--x',
      'Content-Disposition: attachment; filename=bill.txt',
      'Content-Type: text/plain',
      '',
      `bill ${subject}`,
      '--x',
      'Content-Disposition: attachment; filename=setup.exe',
      'Content-Type: application/octet-stream',
      '',
      'MZ',
      '--x--',
      '',
    ].join('\n');
  await put('Archive.mbox', `From a@b Mon\n${message('March', 'm1')}\nFrom a@b Tue\n${message('April', 'm2')}`);
  await put('Maildir/.Work.Bills/cur/1:2,S', message('May', 'm3'));
  await put('Maildir/notes.txt', 'no mail');
  const { summary, stderr } = await run('mbox');
  t.deepEqual(summary?.documents, { imported: 6, skipped: 0, failed: 0 }, stderr);
  const rows = [...(await readImported(database)).values()];
  const areTexts = rows.some(({ filename }) => filename === 'message.txt');
  t.deepEqual(summary?.not_imported.map(({ kind, name }) => [kind, name]).toSorted(), [
    ...Array.from({ length: 3 }, () => ['attachment', 'setup.exe']),
    ['file', 'Maildir/notes.txt'],
    // said once where there is no LibreOffice
    ...(areTexts ? [['messages', 'PDF']] : []),
  ]);
  const may = rows.find(({ title, filename }) => title === 'May' && filename.startsWith('message'));
  t.like(may, {
    correspondent: 'ACME',
    document_date: '2026-03-03',
    labels: ['Bills', 'Maildir', 'Work'],
    added: '2026-03-03T08:15:00.000Z',
    status: 'completed',
    is_indexed: true,
  });
  t.true(may?.content?.includes('The bill of May ☂'));
  t.regex(may?.filename ?? '', /^message\.(?:pdf|txt)$/);
  t.deepEqual(
    rows
      .filter(({ filename }) => filename === 'bill.txt')
      .map(({ labels, status }) => `${labels.at(0)} ${status}`)
      .toSorted((a, b) => a.localeCompare(b)),
    ['Archive pending', 'Archive pending', 'Bills pending'],
  );
  t.is((await run('mbox')).summary?.already_imported, 6);
});
