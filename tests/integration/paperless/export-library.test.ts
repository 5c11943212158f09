import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  correspondents,
  customFields,
  documentFields,
  documentLabels,
  documentTypes,
  labels,
  rules,
  savedSearches,
} from '@sheaf/db/schema';
import { addNote } from '@sheaf/documents';
import { FolderTarget, ZipTarget } from '@sheaf/paperless/export';
import { uuidv7 } from '@sheaf/process';
import { givenUser } from '@sheaf/testkit';
import { type FieldType } from '@sheaf/vocabulary/custom-fields';
import anyTest, { type TestFn } from 'ava';
import { type GivenLibrary, hashOf, openGivenLibrary } from './given-library.ts';
import { type ReadExport, readExport } from './read-export.ts';

const test = anyTest as TestFn<GivenLibrary>;

test.beforeEach(async (t) => {
  t.context = await openGivenLibrary();
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

const toFolder = (path: string, isIncremental = false): Promise<FolderTarget> => FolderTarget.open(path, { isIncremental });

const titlesOf = (found: ReadExport): string[] =>
  found
    .of('documents.document')
    .map(({ fields }) => fields.title)
    .toSorted();

const LONG = 'n'.repeat(180);

/** Everything that a library can have, twice where the format has it once. */
const fill = async (library: GivenLibrary) => {
  const { db } = library.database;
  const other = await givenUser(db, { role: 'viewer', username: 'victor' });
  const idOf = (number: number): string => `00000000-0000-7000-9000-00000000000${number}`;
  const ids = { upper: idOf(1), lower: idOf(2), twin: idOf(3), acme: idOf(4), long: idOf(5), invoice: idOf(6) };
  await db.insert(labels).values([
    { id: ids.upper, name: 'Finance', color: '#ff0000', createdBy: library.owner.id, description: 'of money' },
    { id: ids.lower, name: 'Tax', color: '#00ff00', createdBy: library.owner.id, parentId: ids.upper },
    { id: ids.twin, name: 'finance', color: '#0000ff', createdBy: other.id },
  ]);
  await db.insert(correspondents).values([
    { id: ids.acme, name: 'ACME / "Sons"', createdBy: library.owner.id, ibans: ['DE02120300000000202051'] },
    { id: ids.long, name: LONG, createdBy: null },
  ]);
  await db.insert(documentTypes).values({ id: ids.invoice, name: 'Invoice' });
  const first = await library.add(
    'first file',
    {
      title: 'First',
      documentDate: '2024-02-29',
      archiveNumber: 7,
      correspondentId: ids.acme,
      documentTypeId: ids.invoice,
      metadata: { k: 1 },
      language: 'deu',
      pageCount: 2,
    },
    ['page one', 'page two ä'],
  );
  const second = await library.add(
    'second file',
    { title: 'Second', ownerId: other.id, correspondentId: ids.long, createdAt: new Date('2025-03-04T05:06:07.089Z') },
    [],
  );
  await db.insert(documentLabels).values([
    { documentId: first.id, labelId: ids.upper },
    { documentId: first.id, labelId: ids.lower },
    { documentId: second.id, labelId: ids.twin },
  ]);
  await db.transaction((tx) => addNote(tx, { id: uuidv7(), documentId: first.id, authorId: other.id, text: 'two\nlines' }));
  const VALUES = {
    text: { textValue: 'short' },
    long_text: { textValue: 'long\ntext' },
    number: { numberValue: '-12.5' },
    integer: { numberValue: '-12' },
    amount: { numberValue: '1234.50', currency: 'EUR' },
    date: { dateValue: '2024-12-31' },
    boolean: { booleanValue: false },
    url: { textValue: 'https://example.org/a?b=c' },
    choice: { textValue: 'Paid, late' },
    document: { documentValue: second.id },
  } as const satisfies Record<FieldType, object>;
  for (const [type, value] of Object.entries(VALUES)) {
    const id = uuidv7();
    const choices = type === 'choice' ? ['Open', 'Paid, late'] : [];
    const defaultCurrency = type === 'amount' ? 'CHF' : null;
    await db.insert(customFields).values({ id, name: `A ${type}`, type: type as FieldType, choices, defaultCurrency });
    await db.insert(documentFields).values({ documentId: first.id, fieldId: id, ...value });
  }
  const wide = uuidv7();
  await db.insert(customFields).values({ id: wide, name: 'Wide', type: 'text' });
  await db.insert(documentFields).values({ documentId: first.id, fieldId: wide, textValue: 'w'.repeat(400) });
  const large = uuidv7();
  await db.insert(customFields).values({ id: large, name: 'Large', type: 'integer' });
  await db.insert(documentFields).values({ documentId: first.id, fieldId: large, numberValue: '3000000000' });
  const search = { ownerId: library.owner.id, sort: 'document_date', order: 'desc' as const };
  await db.insert(savedSearches).values([
    {
      ...search,
      id: uuidv7(),
      name: 'Simple',
      query: 'rent 2024',
      filters: { label_ids: [ids.lower, ids.twin], document_date_from: '2024-01-01' },
    },
    { ...search, id: uuidv7(), name: 'Complex', query: '"a phrase" -word', filters: {} },
    {
      ...search,
      id: uuidv7(),
      name: 'Filtered',
      query: '"a phrase"',
      filters: {
        owner_id: library.owner.id,
        date_from: '2024-02-01',
        date_to: '2024-02-29',
        mime_types: ['text/plain'],
        fields: { 'A choice': { eq: 'Open' }, 'A amount': { gt: 5 } },
        conditions: [{ kind: 'like', id: first.id }],
      },
    },
    { ...search, id: uuidv7(), name: 'Large', query: '', filters: { min_size: 5 } },
  ]);
  await db.insert(rules).values({ id: uuidv7(), createdBy: other.id, name: 'A rule', query: 'x', actions: [], position: 1 });
  return { first, second, ids, other };
};

test('custom fields without a value are in an export without one', async (t) => {
  const { second } = await fill(t.context);
  const { db } = t.context.database;
  const fields = await db.select({ id: customFields.id }).from(customFields);
  await db.insert(documentFields).values(fields.map(({ id }) => ({ documentId: second.id, fieldId: id })));
  const path = join(t.context.folder, 'export');
  await t.context.export(await toFolder(path));
  const empty = (await readExport(path)).of('documents.customfieldinstance').filter(({ fields: { document } }) => document === 2);
  t.is(empty.length, fields.length);
  for (const { fields: stored } of empty)
    t.deepEqual(
      Object.entries(stored).filter(([name, value]) => name.startsWith('value_') && value !== null),
      [],
    );
});

test('everything in a library is in its export, and is read back', async (t) => {
  const { first, second, ids } = await fill(t.context);
  const path = join(t.context.folder, 'export');
  const result = await t.context.export(await toFolder(path));
  t.like(result, { documents: 2, written: 2, kept: 0, problems: 0, removed: 0, paperlessVersion: '2.20.15' });
  const found = await readExport(path);
  const documents = found.of('documents.document');
  t.deepEqual(
    documents.map(({ pk }) => pk),
    [1, 2],
  );

  const tags = found.of('documents.tag');
  t.deepEqual(
    tags.map(({ fields }) => [fields.name, fields.color, fields.tn_parent ?? null, fields.owner]),
    [
      ['Finance', '#ff0000', null, null],
      ['Tax', '#00ff00', 1, null],
      ['finance (2)', '#0000ff', null, null],
    ],
  );
  t.like(tags[2]?.sheaf, { id: ids.twin, name: 'finance' });
  const users = new Map(found.of('auth.user').map(({ pk, fields }) => [pk, fields]));
  t.deepEqual(
    [...users].map(([pk, { username, is_superuser: isSuperuser }]) => [pk, username, isSuperuser]),
    [
      [3, 'olivia', true],
      [4, 'victor', false],
    ],
  );
  for (const { password } of users.values()) t.regex(password, /^![\w-]{40}$/);
  const groups = new Map(found.of('auth.group').map(({ pk, fields }) => [pk, fields]));
  const permissions = new Map(found.of('auth.permission').map(({ pk, fields }) => [pk, fields.codename]));
  t.is(groups.get(users.get(4)?.groups[0] ?? 0)?.name, 'viewer');
  const viewer = [...groups.values()].find(({ name }) => name === 'viewer')?.permissions.map((pk) => permissions.get(pk));
  t.true(viewer?.includes('view_document'));
  t.false(viewer?.includes('change_document'));

  const correspondentNames = new Map(
    found.of('documents.correspondent').map(({ pk, fields, sheaf }) => [pk, sheaf?.['name'] ?? fields.name]),
  );
  const [a, b] = documents.map(({ fields }) => fields);
  t.like(a, {
    title: 'First',
    content: 'page one\fpage two ä',
    created: '2024-02-29',
    added: first.createdAt.toISOString(),
    archive_serial_number: 7,
    checksum: hashOf('first file', 'md5'),
    mime_type: 'text/plain',
    original_filename: 'scan.txt',
    owner: 3,
    tags: [1, 2],
    page_count: 2,
  });
  t.is(correspondentNames.get(a?.correspondent ?? 0), 'ACME / "Sons"');
  t.like(b, {
    title: 'Second',
    content: '',
    created: '2025-03-04',
    added: '2025-03-04T05:06:07.089Z',
    archive_serial_number: null,
    owner: 4,
    tags: [3],
    document_type: null,
  });
  t.is(correspondentNames.get(b?.correspondent ?? 0), LONG);
  t.deepEqual(documents[0]?.sheaf, {
    id: first.id,
    sha256: first.sha256,
    document_date: '2024-02-29',
    language: 'deu',
    source: 'upload',
    metadata: { k: 1 },
  });
  t.deepEqual(documents[1]?.sheaf, { id: second.id, sha256: second.sha256, document_date: null, source: 'upload' });
  t.deepEqual(
    new Map([...found.files].map(([name, bytes]) => [name, bytes.toString()])),
    new Map([
      ['originals/2024-02-29 ACME - -Sons- First.txt', 'first file'],
      [`originals/2025-03-04 ${LONG} Second.txt`, 'second file'],
    ]),
  );

  t.deepEqual(
    found.of('documents.note').map(({ fields }) => [fields.note, fields.document, fields.user]),
    [['two\nlines', 1, 4]],
  );
  const fields = new Map(
    found.of('documents.customfield').map(({ pk, fields: field, sheaf }) => [pk, { ...field, type: sheaf?.['type'] }]),
  );
  const values = new Map(
    found.of('documents.customfieldinstance').map(({ fields: { field, document, ...stored } }) => {
      t.is(document, 1);
      const isValue = ([name, value]: [string, unknown]): boolean => name.startsWith('value_') && value !== null;
      return [fields.get(field)?.name, Object.fromEntries(Object.entries(stored).filter(isValue))];
    }),
  );
  const options = [...fields.values()].find(({ name }) => name === 'A choice')?.extra_data?.select_options as {
    id: string;
    label: string;
  }[];
  t.deepEqual(
    options.map(({ label }) => label),
    ['Open', 'Paid, late'],
  );
  t.deepEqual(Object.fromEntries(values), {
    'A text': { value_text: 'short' },
    'A long_text': { value_long_text: 'long\ntext' },
    'A number': { value_float: -12.5 },
    'A integer': { value_int: -12 },
    'A amount': { value_monetary: 'EUR1234.50' },
    'A date': { value_date: '2024-12-31' },
    'A boolean': { value_bool: false },
    'A url': { value_url: 'https://example.org/a?b=c' },
    'A choice': { value_select: options[1]?.id },
    'A document': { value_document_ids: [2] },
    Wide: { value_long_text: 'w'.repeat(400) },
    Large: { value_float: 3_000_000_000 },
  });
  t.like(
    [...fields.values()].find(({ name }) => name === 'A amount'),
    { extra_data: { default_currency: 'CHF' } },
  );
  t.like(
    [...fields.values()].find(({ name }) => name === 'Large'),
    { data_type: 'float', type: 'integer' },
    'Paperless-ngx keeps 32 bits',
  );
  t.like(
    [...fields.values()].find(({ name }) => name === 'Wide'),
    { data_type: 'longtext', type: 'text' },
  );

  const [view, filtered, ...views] = found.of('documents.savedview');
  t.is(views.length, 0);
  t.like(view, { fields: { name: 'Simple', owner: 3, sort_field: 'created', sort_reverse: true }, sheaf: { query: 'rent 2024' } });
  t.deepEqual(
    found
      .of('documents.savedviewfilterrule')
      .filter(({ fields: rule }) => rule.saved_view === view?.pk)
      .map(({ fields: rule }) => [rule.rule_type, rule.value]),
    [
      [20, 'rent 2024'],
      [22, '2'],
      [22, '3'],
      [44, '2024-01-01'],
    ],
  );
  t.like(filtered, { fields: { name: 'Filtered' } });
  const rulesOfFiltered = found.of('documents.savedviewfilterrule').filter(({ fields: rule }) => rule.saved_view === filtered?.pk);
  const fieldNumber = (name: string): unknown => [...fields].find(([, field]) => field.name === name)?.[0];
  t.deepEqual(
    rulesOfFiltered
      .map(({ fields: { rule_type: type, value } }) => [type, type === 42 ? (JSON.parse(value ?? '') as unknown) : value])
      .toSorted(([one], [other]) => Number(one) - Number(other)),
    [
      [20, '"a phrase"'],
      [21, '1'],
      [32, '3'],
      [
        42,
        [
          'AND',
          [
            [fieldNumber('A amount'), 'gt', 5],
            [fieldNumber('A choice'), 'exact', options[0]?.id],
          ],
        ],
      ],
      [45, '2024-02-29'],
      [46, '2024-02-01'],
      [47, 'text/plain'],
    ],
  );
  const rest = JSON.parse(await readFile(join(path, 'sheaf.json'), 'utf8')) as { saved_searches: unknown[]; rules: unknown[] };
  t.like(rest.saved_searches[0], { name: 'Complex', query: '"a phrase" -word' });
  t.like(rest.saved_searches[1], { name: 'Large' });
  t.like(rest.rules[0], { name: 'A rule' });
});

test('an archive has what a folder has', async (t) => {
  await fill(t.context);
  const { folder } = t.context;
  await t.context.export(await toFolder(join(folder, 'export')));
  const path = join(folder, 'export.zip');
  await t.context.export(await ZipTarget.open(path));
  const [inFolder, inArchive] = [await readExport(join(folder, 'export')), await readExport(path)];
  t.deepEqual(inArchive.files, inFolder.files);
  t.deepEqual(inArchive.of('documents.document'), inFolder.of('documents.document'));
  t.deepEqual((await readdir(folder)).toSorted(), ['export', 'export.zip', 'uploads'], 'nothing is left beside it');
  await t.throwsAsync(ZipTarget.open(path), { code: 'target_exists' });
});

test('the result of a search is exported alone, without links to other documents', async (t) => {
  await fill(t.context);
  const path = join(t.context.folder, 'export');
  t.like(await t.context.export(await toFolder(path), { query: 'title:first' }), { documents: 1, problems: 0 });
  const found = await readExport(path);
  t.deepEqual(titlesOf(found), ['First']);
  t.deepEqual(
    found
      .of('documents.customfieldinstance')
      .flatMap(({ fields }) => (fields.value_document_ids == null ? [] : [fields.value_document_ids])),
    [[]],
  );
});

test('a library with a file twice is exported as version 3, or as version 2 with the file once', async (t) => {
  const other = await givenUser(t.context.database.db);
  await t.context.add('same bytes', { title: 'One' });
  const second = await t.context.add('same bytes', { title: 'Two', ownerId: other.id });
  const { folder } = t.context;
  t.like(await t.context.export(await toFolder(join(folder, '3'))), { documents: 2, problems: 0, paperlessVersion: '3.0.5' });
  const whole = await readExport(join(folder, '3'));
  t.deepEqual(
    whole.of('documents.document').map(({ fields }) => fields.checksum),
    [hashOf('same bytes'), hashOf('same bytes')],
  );
  const result = await t.context.export(await toFolder(join(folder, '2')), { format: 2 });
  t.like(result, { documents: 1, problems: 1, paperlessVersion: '2.20.15' });
  t.deepEqual(result.reported, [{ documentId: second.id, reason: 'duplicate' }]);
});

const HOSTILE = [
  '../../../etc/passwd',
  '/etc/passwd',
  '..',
  '.',
  'CON',
  'a\nb\u0000\u202ec',
  '-manifest',
  'x'.repeat(1_000),
  '日本語'.repeat(100),
  'Same',
  'same',
  '   ',
  '\ud800',
];

test('no title makes a file leave the export, and every name is plain, short and taken once', async (t) => {
  for (const [at, title] of HOSTILE.entries())
    await t.context.add(`file ${at}`, { title: title.replaceAll('\u0000', '').toWellFormed(), documentDate: '2024-01-01' });
  const path = join(t.context.folder, 'export');
  t.like(await t.context.export(await toFolder(path), { nameFormat: '{title}/{title}' }), { documents: HOSTILE.length, problems: 0 });
  const found = await readExport(path);
  t.deepEqual(new Set([...found.files.values()].map(String)), new Set(HOSTILE.map((_, at) => `file ${at}`)));
  const names = [...found.files.keys()];
  t.is(new Set(names.map((name) => name.toLowerCase())).size, HOSTILE.length);
  for (const name of names) {
    t.true(
      name.split('/').every((part) => Buffer.byteLength(part) <= 230),
      name,
    );
    t.false(
      name.split('/').some((part) => part === '' || part.startsWith('.')),
      name,
    );
    t.notRegex(name, /[\p{Cc}\u202e\\:*?"<>|]|-manifest\.json$/u);
  }
  t.deepEqual((await readdir(t.context.folder)).toSorted(), ['export', 'uploads']);
});
