import { randomUUID } from 'node:crypto';
import type { SearchFilters } from '@sheaf/contract/search';
import type { Db } from '@sheaf/db';
import { advancedQuery, findEntryDifferences, foldTermStatistics, indexDocument, search, searchByQuery } from '@sheaf/search';
import { givenUser, principalOf } from '@sheaf/testkit';
import type { SearchSortField } from '@sheaf/vocabulary/sort-fields';
import { openLibrary, testWithDatabases } from './library.ts';

const test = testWithDatabases();

const givenNamed = async (db: Db, table: 'correspondents' | 'document_types', name: string, aliases: readonly string[] = []) => {
  const id = randomUUID();
  await db.execute(`insert into ${table} (id, name) values ('${id}', '${name}')`);
  if (aliases.length > 0)
    await db.execute(`update ${table} set aliases = '{${aliases.map((alias) => `"${alias}"`).join(',')}}' where id = '${id}'`);
  return id;
};

interface Facts {
  readonly document_date?: string;
  readonly correspondent_id?: string;
  readonly document_type_id?: string;
  readonly archive_number?: number;
  readonly imported_from?: string;
}

const file = (db: Db, id: string, facts: Facts): Promise<unknown> =>
  db.execute(
    `update documents set ${Object.entries(facts)
      .map(([name, value]) => `${name} = '${value}'`)
      .join(', ')} where id = '${id}'`,
  );

const note = async (db: Db, id: string, text: string, second = 0): Promise<void> => {
  await db.execute(
    `insert into document_notes (id, document_id, text, created_at) values ('${randomUUID()}', '${id}', '${text}', '2024-01-01Z'::timestamptz + interval '${second} s')`,
  );
  await db.execute(`update documents set notes_count = notes_count + 1 where id = '${id}'`);
  await indexDocument(db, id);
};

/** Four documents with the word `word`: of two correspondents and types, and one of which nothing is known. */
const openFiled = async (db: Db) => {
  const library = await openLibrary(db);
  const acme = await givenNamed(db, 'correspondents', 'ACME Ltd.', ['Äcme Works', 'Brightwater']);
  const zoo = await givenNamed(db, 'correspondents', 'Zoo');
  const invoice = await givenNamed(db, 'document_types', 'Invoice');
  const letter = await givenNamed(db, 'document_types', 'Letter');
  const put = (title: string, language = 'eng') => library.put({ title, pages: ['word'], language });
  const [a, b, c] = [await put('a'), await put('b', 'deu'), await put('c')];
  await put('d', 'fra');
  await file(db, a, {
    document_date: '2024-03-05',
    correspondent_id: acme,
    document_type_id: invoice,
    archive_number: 100,
    imported_from: 'paperless:12',
  });
  await file(db, b, {
    document_date: '2024-12-31',
    correspondent_id: acme,
    document_type_id: letter,
    archive_number: 7,
    imported_from: 'paperless:1',
  });
  await file(db, c, { document_date: '2023-01-01', correspondent_id: zoo, document_type_id: invoice });
  return { ...library, acme, zoo, invoice, letter, a, b, c };
};

test('what one types about facts finds the documents of which they are known', async (t) => {
  const { titles, acme } = await openFiled(t.context.db);
  const cases: [string, string][] = [
    ['from:acme', 'ab'],
    ['from:ACM', 'ab'],
    ['from:"ltd acme"', 'ab'],
    ['from:"acme zoo"', ''],
    ['from:brightwater', 'ab'],
    ['from:"brightwater ltd"', ''],
    ['from:acme OR from:zoo', 'abc'],
    ['from:none', 'd'],
    ['from:%', ''],
    [`from:${acme}`, 'ab'],
    ['type:invoice', 'ac'],
    ['type:none', 'd'],
    ['type:invoice from:acme', 'a'],
    ['word -from:acme', 'cd'],
    ['word -from:none', 'abc'],
    ['date:2024', 'ab'],
    ['date:2024-03', 'a'],
    ['date:2024-03-05', 'a'],
    ['date:2023..2024-03', 'ac'],
    ['date:>2024-03', 'b'],
    ['date:>=2024-03', 'ab'],
    ['date:<2024-03-05', 'c'],
    ['date:<=2023', 'c'],
    ['date:..2023', 'c'],
    ['date:2024-12..', 'b'],
    ['date:none', 'd'],
    ['word -date:2024', 'cd'],
    ['asn:100', 'a'],
    ['asn:1..99', 'b'],
    ['asn:>=7', 'ab'],
    ['asn:none', 'cd'],
    ['word -asn:100', 'bcd'],
    ['word date:2024 -asn:100', 'b'],
    ['asn:7 OR date:none OR missing', 'bd'],
    ['imported:paperless:12', 'a'],
    ['imported:paperless', 'ab'],
    ['imported:paper', ''],
    ['imported:none', 'cd'],
    ['word -imported:paperless:12', 'bcd'],
    ['date:soon', ''],
  ];
  for (const [q, expected] of cases) t.is((await titles(q)).toSorted().join(''), expected, q);
});

interface FieldOf {
  readonly name: string;
  readonly type: string;
  readonly column: string;
  readonly values: Readonly<Record<string, string>>;
}

const giveField = async (db: Db, { name, type, column, values }: FieldOf): Promise<void> => {
  const id = randomUUID();
  const choices = type === 'choice' ? '{new,old}' : '{}';
  await db.execute(`insert into custom_fields (id, name, type, choices) values ('${id}', '${name}', '${type}', '${choices}')`);
  for (const [documentId, value] of Object.entries(values))
    await db.execute(`insert into document_fields (document_id, field_id, ${column}) values ('${documentId}', '${id}', '${value}')`);
};

test('values of custom fields, as the field has them', async (t) => {
  const { titles, a, b, c } = await openFiled(t.context.db);
  const { db } = t.context;
  await giveField(db, { name: 'Amount', type: 'number', column: 'number_value', values: { [a]: '100.5', [b]: '-7' } });
  await giveField(db, { name: 'Invoice no', type: 'text', column: 'text_value', values: { [a]: 'Ré 2024 x', [c]: 'none' } });
  await giveField(db, { name: 'due', type: 'date', column: 'date_value', values: { [b]: '2024-05-31' } });
  await giveField(db, { name: 'paid', type: 'boolean', column: 'boolean_value', values: { [a]: 'true', [b]: 'false' } });
  await giveField(db, { name: 'link', type: 'document', column: 'document_value', values: { [a]: b } });
  const cases: [string, string][] = [
    ['field.amount:>100', 'a'],
    ['field.AMOUNT:100.5', 'a'],
    ['field.amount:100,5', 'a'],
    ['field.amount:-10..0', 'b'],
    ['field.amount:100', ''],
    ['field.amount:none', 'cd'],
    ['word -field.amount:>100', 'bcd'],
    ['word -field.amount:none', 'ab'],
    ['field."invoice no":2024', 'a'],
    ['field."invoice no":re', 'a'],
    ['field."Invoice no":"none"', 'c'],
    ['field."Invoice no":none', 'bd'],
    ['field.due:2024', 'b'],
    ['field.due:<2024-06', 'b'],
    ['field.due:2024-06..', ''],
    ['field.paid:yes', 'a'],
    ['field.paid:no OR field.amount:100.5', 'ab'],
    ['word field.paid:false', 'b'],
    [`field.link:${b}`, ''],
    ['field.link:none', ''],
    ['field.unknown:x', ''],
    ['field.unknown:none', ''],
    ['word -field.unknown:none', 'abcd'],
  ];
  for (const [q, expected] of cases) t.is((await titles(q)).toSorted().join(''), expected, q);
});

test('clauses about facts, by each comparison', async (t) => {
  const { owner } = await openFiled(t.context.db);
  const cases = [
    ['correspondent', 'exact', 'acme ltd.', 'ab'],
    ['correspondent', 'exact', 'acme', ''],
    ['correspondent', 'exact', 'brightwater', 'ab'],
    ['correspondent', 'contains', 'cme L', 'ab'],
    ['correspondent', 'match', 'ltd acme', 'ab'],
    ['document_type', 'exact', 'letter', 'b'],
  ] as const;
  for (const [field, type, value, expected] of cases) {
    const query = advancedQuery({ must: [{ field, type, value }], should: [], must_not: [] });
    const { results } = await searchByQuery(t.context.db, principalOf(owner), {
      query,
      filters: {},
      page: 1,
      perPage: 9,
      highlight: true,
      fuzzy: false,
    });
    t.is(
      results
        .map(({ title }) => title)
        .toSorted()
        .join(''),
      expected,
      `${field} ${type} ${value}`,
    );
  }
});

test('filters by facts, each by itself', async (t) => {
  const { titles, acme, zoo, letter, invoice } = await openFiled(t.context.db);
  const cases: [SearchFilters, string][] = [
    [{ document_date_from: '2024-01-01' }, 'ab'],
    [{ document_date_from: '2024-03-05', document_date_to: '2024-03-05' }, 'a'],
    [{ document_date_to: '2023-12-31' }, 'c'],
    [{ correspondent_ids: [acme] }, 'ab'],
    [{ correspondent_ids: [acme, zoo] }, 'abc'],
    [{ correspondent_ids: [] }, 'abcd'],
    [{ correspondent_ids: [acme], document_type_ids: [letter] }, 'b'],
    [{ document_type_ids: [invoice] }, 'ac'],
    [{ has_correspondent: false }, 'd'],
    [{ has_correspondent: true }, 'abc'],
    [{ has_document_type: false }, 'd'],
    [{ archive_number: 100 }, 'a'],
    [{ archive_number: 101 }, ''],
  ];
  for (const [filters, expected] of cases) t.is((await titles('word', { filters })).toSorted().join(''), expected, JSON.stringify(filters));
});

test('orders by facts, what is not known at the small end', async (t) => {
  const { db } = t.context;
  const { owner } = await openFiled(db);
  const orders: [SearchSortField, string[]][] = [
    ['document_date', ['dcab', 'bacd']],
    ['archive_number', ['dcba', 'abdc']],
    ['correspondent', ['dbac', 'cbad']],
    ['document_type', ['dcab', 'bcad']],
  ];
  for (const [field, expected] of orders)
    for (const [i, order] of (['asc', 'desc'] as const).entries()) {
      const { results } = await search(db, principalOf(owner), {
        q: 'word',
        filters: {},
        sort: [{ field, order }],
        page: 1,
        perPage: 9,
        highlight: false,
        fuzzy: false,
      });
      t.is(results.map(({ title }) => title).join(''), expected[i] ?? '', `${field} ${order}`);
    }
});

test('facets of facts count all matches, with names, and hits bear them', async (t) => {
  const { ask, acme, zoo, invoice, letter, a } = await openFiled(t.context.db);
  const { facets, results } = await ask('word', { perPage: 1 });
  t.deepEqual(facets.document_years, { 2024: 2, 2023: 1 });
  t.deepEqual(facets.correspondents, [
    { id: acme, name: 'ACME Ltd.', count: 2 },
    { id: zoo, name: 'Zoo', count: 1 },
  ]);
  t.deepEqual(facets.document_types, [
    { id: invoice, name: 'Invoice', count: 2 },
    { id: letter, name: 'Letter', count: 1 },
  ]);
  t.like(results[0], { title: 'd', document_date: null, correspondent: null, document_type: null });
  const [hit] = (await ask('asn:100')).results;
  t.like(hit, {
    document_id: a,
    document_date: '2024-03-05',
    correspondent: { id: acme, name: 'ACME Ltd.' },
    document_type: { id: invoice, name: 'Invoice' },
  });
  await t.context.db.execute(`update correspondents set name = 'Acme & Sons' where id = '${acme}'`);
  await t.context.db.execute(`delete from document_types where id = '${invoice}'`);
  const later = await ask('word');
  t.is(later.facets.correspondents[0]?.name, 'Acme & Sons');
  t.deepEqual(later.facets.document_types, [{ id: letter, name: 'Letter', count: 1 }]);
});

test('facets name no more than 20 values, those that most have', async (t) => {
  const { db } = t.context;
  const { put, ask } = await openLibrary(db);
  for (let i = 0; i < 22; i += 1) {
    const id = await put({ pages: ['word'] });
    await file(db, id, { document_date: `${1990 + i}-01-01`, correspondent_id: await givenNamed(db, 'correspondents', `c${i}`) });
  }
  const often = await givenNamed(db, 'correspondents', 'often');
  for (let i = 0; i < 2; i += 1) await file(db, await put({ pages: ['word'] }), { document_date: '1980-01-01', correspondent_id: often });
  const { facets } = await ask('word');
  t.is(facets.correspondents.length, 20);
  t.deepEqual(facets.correspondents[0], { id: often, name: 'often', count: 2 });
  t.is(Object.keys(facets.document_years).length, 20);
  t.is(facets.document_years['1980'], 2);
});

test('facets tell of the correspondents of those documents alone that one may read', async (t) => {
  const { db } = t.context;
  const { put, ask } = await openLibrary(db);
  const reader = await givenUser(db);
  const own = principalOf(reader, ['documents.read.own', 'search.query']);
  const [known, secret] = [await givenNamed(db, 'correspondents', 'Known'), await givenNamed(db, 'correspondents', 'Secret')];
  const secretType = await givenNamed(db, 'document_types', 'Secret');
  await file(db, await put({ pages: ['word'], ownerId: reader.id }), { document_date: '2024-01-01', correspondent_id: known });
  const hidden = await put({ pages: ['word'] });
  await file(db, hidden, { document_date: '2001-01-01', correspondent_id: secret, document_type_id: secretType, archive_number: 5 });
  await note(db, hidden, 'treasure');
  const { facets } = await ask('word', { as: own });
  t.deepEqual(facets.document_years, { 2024: 1 });
  t.deepEqual(facets.correspondents, [{ id: known, name: 'Known', count: 1 }]);
  t.deepEqual(facets.document_types, []);
  for (const q of ['from:secret', 'type:secret', 'date:2001', 'asn:5', 'treasure', 'note:treasure'])
    t.is((await ask(q, { as: own })).total, 0, q);
  t.is((await ask('word', { as: own, filters: { correspondent_ids: [secret] } })).total, 0);
});

test('notes are found by their words, which say so', async (t) => {
  const { db } = t.context;
  const { put, ask, titles } = await openLibrary(db);
  const a = await put({ title: 'a', pages: ['plain text of the first page', 'and the second'] });
  await put({ title: 'b', pages: ['telephoned'] });
  await note(db, a, 'telephoned with Mrs. <Smith>');
  await note(db, a, 'Paid in two parts', 1);
  t.deepEqual((await titles('telephone')).toSorted(), ['a', 'b']);
  for (const q of ['note:telephone', '"two parts"', 'note:"paid in two"', 'note:telep*', 'title:a note:smith', 'first smith'])
    t.deepEqual(await titles(q), ['a'], q);
  for (const q of ['content:smith', 'note:first', '"parts plain"', 'title:smith']) t.deepEqual(await titles(q), [], q);
  const [hit] = (await ask('smith paid')).results;
  t.is(hit?.page, null);
  t.deepEqual(hit?.highlights, [
    { field: 'note', snippet: '<mark>Paid</mark> in two parts telephoned with Mrs. &lt;<mark>Smith</mark>&gt;' },
  ]);
  t.deepEqual(
    (await ask('smith first')).results[0]?.highlights.map(({ field }) => field),
    ['content', 'note'],
  );
  await foldTermStatistics(db);
  t.is((await ask('telephoend', { fuzzy: true })).corrected_query, 'telephoned');
  await db.execute(`delete from document_notes where document_id = '${a}'`);
  await db.execute(`update documents set notes_count = 0 where id = '${a}'`);
  await indexDocument(db, a);
  t.deepEqual(await titles('telephone'), ['b']);
});

test('notes as long as can be, of the worst words, still fit beside the longest title and text', async (t) => {
  const { db, pool } = t.context;
  const { put, titles } = await openLibrary(db);
  const words = (from: number, characters: number): string => {
    let text = '';
    for (let code = from; text.length < characters; code += 1)
      text += `${String.fromCodePoint(0x2_00_00 + (code % 0xa6_d0))} ${code.toString(36)} `;
    return text.slice(0, characters).toWellFormed().replaceAll('\ufffd', ' ');
  };
  const id = await put({ title: words(1, 900), filename: words(500, 200), pages: [words(1_000, 129_000), words(90_000, 40_000)] });
  await pool.query(
    `insert into document_notes (id, document_id, text) select gen_random_uuid(), $1, text from unnest($2::text[]) as text`,
    [id, [0, 1].map((i) => words(200_000 + i * 2_000, 9_000))],
  );
  await note(db, id, 'newest treasure', 1e9);
  t.is((await titles('note:"newest treasure"')).length, 1);
  const { rows } = await pool.query('select pg_column_size(words) as bytes from document_search');
  t.true(rows[0].bytes < 1_048_575);
});

test('an entry that lacks facts or notes differs from what it should be', async (t) => {
  const { db } = t.context;
  const { a, b } = await openFiled(db);
  await db.execute(`update documents set status = 'completed'`);
  const differing = async () => {
    const ids: string[] = [];
    for await (const { documentId } of findEntryDifferences(db)) ids.push(documentId);
    return ids.toSorted();
  };
  t.deepEqual(await differing(), []);
  await db.execute(`update document_search set document_date = null where document_id = '${a}'`);
  await db.execute(`insert into document_notes (id, document_id, text) values ('${randomUUID()}', '${b}', 'older')`);
  await db.execute(`update documents set notes_count = 1 where id = '${b}'`);
  t.deepEqual(await differing(), [a, b].toSorted());
});
