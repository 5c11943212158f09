import { randomUUID } from 'node:crypto';
import { foldTermStatistics, suggest } from '@sheaf/search';
import { givenUser, principalOf } from '@sheaf/testkit';
import type { Principal } from '@sheaf/vocabulary/permissions';
import * as fc from 'fast-check';
import { openLibrary, testWithDatabases } from './library.ts';

const test = testWithDatabases();

const openSuggesting = async (...[db]: Parameters<typeof openLibrary>) => {
  const library = await openLibrary(db);
  const texts = async (q: string, type: 'word' | 'title', as: Principal = principalOf(library.owner)): Promise<string[]> =>
    (await suggest(db, as, q)).filter((suggestion) => suggestion.type === type).map(({ text }) => text);
  return {
    ...library,
    words: (q: string, as?: Principal) => texts(q, 'word', as),
    titles: (q: string, as?: Principal) => texts(q, 'title', as),
  };
};

test('whole words complete what is typed, the most frequent ones first, whatever the case and accents', async (t) => {
  const { put, words } = await openSuggesting(t.context.db);
  await put({ title: 'x', pages: ['Universities and the universe, universities', 'universal'] });
  await put({ title: 'x', pages: ['a university of résumés'] });
  await put({ title: 'x', language: 'deu', pages: ['Die Universität, die Straße'] });
  await foldTermStatistics(t.context.db);
  t.deepEqual(await words('univers'), ['universities', 'universität']);
  t.deepEqual(await words('UNIVERSI'), ['universities', 'universität']);
  t.deepEqual(await words('universities'), ['universities']);
  t.deepEqual(await words('some universiti'), ['universities']);
  t.deepEqual(await words('resum'), ['résumés']);
  t.deepEqual(await words('Résu'), ['résumés']);
  t.deepEqual(await words('stra'), ['straße']);
  t.deepEqual(await words('strass'), ['straße']);
  t.deepEqual(await words('elephant'), []);
});

test('a word is completed beyond its stem, whatever other forms of it there are', async (t) => {
  const { put, words } = await openSuggesting(t.context.db);
  for (let i = 0; i < 5; i += 1) await put({ title: 'x', pages: ['universal'] });
  await put({ title: 'x', pages: ['the universities'] });
  await foldTermStatistics(t.context.db);
  t.deepEqual(await words('universi'), ['universities']);
});

test('words of a long document are found on their own pages', async (t) => {
  const { put, words } = await openSuggesting(t.context.db);
  await put({ title: 'x', pages: Array.from({ length: 30 }, (_, i) => `page ${i} has electro${'abcdefghij'[i % 10]}word`) });
  await foldTermStatistics(t.context.db);
  t.is((await words('electro')).length, 10);
});

test('titles that have all typed words, the newest first, with their document', async (t) => {
  const { put, titles, owner } = await openSuggesting(t.context.db);
  const id = await put({ title: 'Annual Report (2023)' });
  await put({ title: 'Annual Report (2024)' });
  await put({ title: 'The Résumé of a reporter' });
  t.deepEqual(await titles('report'), ['The Résumé of a reporter', 'Annual Report (2024)', 'Annual Report (2023)']);
  t.deepEqual(await titles('annual rep'), ['Annual Report (2024)', 'Annual Report (2023)']);
  t.deepEqual(await titles('resu'), ['The Résumé of a reporter']);
  t.deepEqual(await titles('r'), ['The Résumé of a reporter', 'Annual Report (2024)', 'Annual Report (2023)']);
  t.deepEqual(await titles('nnual'), []);
  const [first] = await suggest(t.context.db, principalOf(owner), 'report 2023');
  t.deepEqual(first, { text: 'Annual Report (2023)', type: 'title', document_id: id });
});

test('titles behind the newest documents are found by the index', async (t) => {
  const { db, pool } = t.context;
  const { put, titles, owner } = await openSuggesting(db);
  await put({ title: 'Zanzibar' });
  await pool.query(
    `insert into documents (id, owner_id, title, filename, mime_type, size_bytes, sha256, file_path, ocr_language, source)
     select gen_random_uuid(), $1, 'paper ' || i, 'x', 'application/pdf', 1, encode(sha256(i::text::bytea), 'hex'), '/nowhere', 'eng', 'upload'
     from generate_series(1, 600) as i`,
    [owner.id],
  );
  await pool.query(`update documents set created_at = '2020-01-01Z' where title = 'Zanzibar'`);
  t.deepEqual(await titles('zanz'), ['Zanzibar']);
  t.deepEqual(await titles('za'), [], 'two letters are looked for in the newest titles only');
});

test('correspondents and types with all typed words are suggested before words, those that begin as typed first', async (t) => {
  const { db, pool } = t.context;
  const { put, owner } = await openSuggesting(db);
  const name = async (kind: 'correspondent' | 'document_type', text: string, isUsed = true): Promise<string> => {
    const id = randomUUID();
    await pool.query(`insert into ${kind}s (id, name, created_by) values ($1, $2, $3)`, [id, text, owner.id]);
    if (isUsed)
      await pool.query(`update documents set ${kind}_id = $1 where id = $2`, [id, await put({ title: 'x', pages: ['telephone'] })]);
    return id;
  };
  const aachen = await name('correspondent', 'Aachen (Télécom)');
  const telekom = await name('correspondent', 'Telekom Deutschland GmbH');
  await name('correspondent', 'Atelier');
  await name('correspondent', 'Telegraph', false);
  const bill = await name('document_type', 'Telephone bill');
  await foldTermStatistics(db);
  const ask = (q: string, as = principalOf(owner)) => suggest(db, as, q);
  t.deepEqual(await ask('tele'), [
    { text: 'Telekom Deutschland GmbH', type: 'correspondent', correspondent_id: telekom },
    { text: 'Aachen (Télécom)', type: 'correspondent', correspondent_id: aachen },
    { text: 'Telephone bill', type: 'document_type', document_type_id: bill },
    { text: 'telephone', type: 'word' },
  ]);
  t.deepEqual(await ask('deutsch TELE'), [
    { text: 'Telekom Deutschland GmbH', type: 'correspondent', correspondent_id: telekom },
    { text: 'telephone', type: 'word' },
  ]);
  t.deepEqual(await ask('t'), []);
  const reader = await givenUser(db);
  const names = async (...permissions: string[]): Promise<string[]> =>
    (await ask('tele', principalOf(reader, ['search.query', ...permissions])))
      .filter(({ type }) => type === 'correspondent')
      .map(({ text }) => text);
  t.deepEqual(await names('documents.read.own', 'labels.read'), [], 'of documents of others');
  await pool.query('update documents set owner_id = $1 where correspondent_id = $2', [reader.id, telekom]);
  t.deepEqual(await names('documents.read.own', 'labels.read'), ['Telekom Deutschland GmbH']);
  t.deepEqual(await names('documents.read', 'labels.read.own'), [], 'of others');
  t.deepEqual(await names('documents.read'), [], 'who may read no correspondents');
});

test('names are found by their index, and their documents by those of documents', async (t) => {
  const { db, pool } = t.context;
  const { owner } = await openSuggesting(db);
  await pool.query(
    `insert into correspondents (id, name) select gen_random_uuid(), md5(i::text) || ' ' || md5((-i)::text) from generate_series(1, 5000) as i`,
  );
  await pool.query(
    `insert into documents (id, owner_id, title, filename, mime_type, size_bytes, sha256, file_path, ocr_language, source, correspondent_id)
     select gen_random_uuid(), $1, 'paper', 'x', 'application/pdf', 1, encode(sha256(id::text::bytea), 'hex'), '/nowhere', 'eng', 'upload', id
     from correspondents`,
    [owner.id],
  );
  await pool.query('vacuum analyze correspondents, documents');
  const scans = async (): Promise<number> =>
    Number(
      (
        await pool.query<{ scans: string }>(
          `select sum(seq_scan)::text as scans from pg_stat_user_tables where relname in ('correspondents', 'documents')`,
        )
      ).rows[0]?.scans,
    );
  const flush = () => pool.query('select pg_stat_force_next_flush()');
  await flush();
  const before = await scans();
  for (const as of [principalOf(owner), principalOf(owner, ['documents.read.own', 'labels.read', 'search.query'])])
    t.is((await suggest(db, as, 'c4ca')).filter(({ type }) => type === 'correspondent').length, 1);
  await flush();
  t.is(await scans(), before);
});

test('nobody is told words or titles of documents that they may not read', async (t) => {
  const { db } = t.context;
  const { put, words, titles } = await openSuggesting(db);
  const reader = await givenUser(db);
  const own = principalOf(reader, ['documents.read.own', 'search.query']);
  await put({ title: 'Contract of his', pages: ['the contractor'], ownerId: reader.id });
  await foldTermStatistics(db);
  const ask = async () => [await words('contr', own), await titles('contr', own)];
  const before = await ask();
  t.deepEqual(before, [['contract', 'contractor'], ['Contract of his']]);
  for (let i = 0; i < 20; i += 1)
    await put({
      title: `Contrasts ${i}`,
      pages: [`Contracts contraband controls contr${'abcdefghijklmnopqrstuvwxyz'[i]}zy contractors contractors`],
    });
  await foldTermStatistics(db);
  t.deepEqual(await ask(), before);
  t.deepEqual(await suggest(db, principalOf(reader, ['search.query']), 'contr'), []);
  t.is((await words('contr')).length + (await titles('contr')).length, 10);
});

test('signs alone complete nothing, and whatever is typed is answered', async (t) => {
  const { put, words } = await openSuggesting(t.context.db);
  await put({ title: "it's %_\\", pages: ['some text'] });
  await foldTermStatistics(t.context.db);
  for (const q of ['', ' ', '%', '_', '\\', '\0', '"', '*', '-', "'"]) t.deepEqual(await words(q), [], JSON.stringify(q));
  const piece = fc.oneof(
    fc.constantFrom('te', '%', "'", '\\', '\ud800', '\0', '％', ' ', ':*', '人'),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
      t.true((await words(pieces.join('').slice(0, 200))).length <= 10);
    }),
    { numRuns: 100 },
  );
});
