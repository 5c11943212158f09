// Near-duplicates: found after processing, shown and filtered among what may be read, dismissed for good.
import type { Document } from '@sheaf/db/schema';
import { SignatureBacklog } from '@sheaf/filing/near-duplicates';
import { SIGNATURE_BYTES } from '@sheaf/filing/testing/near-duplicates';
import { silentLogger } from '@sheaf/process';
import { ApiClient } from '@sheaf/testkit';
import { startApiWithPermissions } from '../../support/api-with-permissions.ts';
import { conditionOf } from '../../support/error-condition.ts';
import { givenProcessedDocument, processAgain } from '../../support/processed-document.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';
import { openCounted } from '../../support/sent-statements.ts';

const test = testWithApi();

const LINES = [
  'Alder Office Supply Ltd, 12 Harbour Street, 40213 Riverton',
  'We thank you for your order and invoice the following goods as agreed',
  'Please pay within 14 days to the account below without any deduction',
  'The goods remain our property until they have been paid in full',
  'IBAN GB29 6016 1331 9268 19 phone 0211 445566',
];

interface Filled {
  readonly number: string;
  readonly date: string;
  readonly total: string;
  readonly goods: string;
}

/** An invoice of one sender; what `goods` says is part of it. */
const invoice = ({ number, date, total, goods }: Filled): string =>
  [...LINES, `Invoice number ${number} date ${date}`, goods, `Total due EUR ${total}`].join('\n');

const FIRST = invoice({
  number: '884213',
  date: '17.05.2024',
  total: '1,204.50',
  goods: 'Printer paper 4711 price 88.20, desk lamp 5522 price 31.75',
});
/** The same paper with some words and digits recognised otherwise. */
const SECOND_SCAN = FIRST.replace('Harbour', 'Harb0ur').replace('deduction', 'deducti0n').replace('31.75', '31.76');
const OTHER_INVOICE = invoice({
  number: '901177',
  date: '02.11.2024',
  total: '333.10',
  goods: 'Office chair 8123 price 219.00, toner cartridge 6044 price 64.95',
});
const OF_ANOTHER = `${LINES.join(' ').toUpperCase()} zoo ticket 7781 valid 24.12.2019 for two adults and three children, gate 5, price 96.40`;

const idOf = async (client: ApiClient): Promise<string> => String((await client.get('/api/auth/me')).body['id']);

const findAll = async ({ database }: RunningApi): Promise<void> => {
  const backlog = new SignatureBacklog(database.db, silentLogger());
  while (await backlog.run(new AbortController().signal)) {
    // until nothing is left
  }
};

interface SimilarBody {
  readonly document: { readonly id: string };
  readonly similarity: number;
}

const similarTo = async (client: ApiClient, { id }: Pick<Document, 'id'>): Promise<readonly SimilarBody[]> =>
  (await client.get(`/api/documents/${id}/similar`)).body['data'] as SimilarBody[];
const idsOf = (bodies: readonly SimilarBody[]): string[] => bodies.map(({ document }) => document.id);

/** The ids that the list, the search and a selection find. */
const withSimilar = async (client: ApiClient, value: boolean): Promise<readonly string[]> => {
  const listed = (await client.get(`/api/documents?has_similar=${value}&per_page=100`)).body['data'] as { id: string }[];
  const filters = encodeURIComponent(JSON.stringify({ has_similar: value }));
  const found = (await client.get(`/api/search?q=${encodeURIComponent('goods')}&filters=${filters}&per_page=100`)).body['results'] as {
    document_id: string;
  }[];
  const ids = listed.map(({ id }) => id).toSorted();
  if (JSON.stringify(found.map((hit) => hit.document_id).toSorted()) !== JSON.stringify(ids)) throw new Error('search and list differ');
  return ids;
};

test.serial('a second scan is found, another invoice of the sender is not; dismissing is remembered', async (t) => {
  const { admin, database } = t.context;
  await database.pool.query('delete from documents');
  const owner = await idOf(admin);
  const first = await givenProcessedDocument(database.db, owner, FIRST);
  const other = await givenProcessedDocument(database.db, owner, OTHER_INVOICE);
  const short = await givenProcessedDocument(database.db, owner, 'goods for nobody');
  await findAll(t.context);
  t.deepEqual(await similarTo(admin, first), []);
  const second = await givenProcessedDocument(database.db, owner, SECOND_SCAN);
  await findAll(t.context);
  const [found, ...none] = await similarTo(admin, first);
  t.deepEqual(none, []);
  t.is(found?.document.id, second.id);
  t.true((found?.similarity ?? 0) > 0.8 && (found?.similarity ?? 1) < 1, String(found?.similarity));
  t.deepEqual(idsOf(await similarTo(admin, second)), [first.id]);
  t.deepEqual([await similarTo(admin, other), await similarTo(admin, short)], [[], []]);
  const both = [first.id, second.id].toSorted();
  t.deepEqual([await withSimilar(admin, true), await withSimilar(admin, false)], [both, [other.id, short.id].toSorted()]);
  const bulk = await admin.post('/api/documents/bulk', {
    action: 'set_correspondent',
    correspondent_id: null,
    filter: { has_similar: true },
  });
  t.like(bulk, { status: 200, body: { matched: 2 } });

  t.is((await admin.post(`/api/documents/${second.id}/similar/${first.id}/dismiss`, {})).status, 204);
  t.deepEqual([await similarTo(admin, first), await similarTo(admin, second), await withSimilar(admin, true)], [[], [], []]);
  await processAgain(database.db, first.id, FIRST);
  await findAll(t.context);
  t.deepEqual([await similarTo(admin, second), await withSimilar(admin, true)], [[], []], 'also after processing again');
  const third = await givenProcessedDocument(database.db, owner, SECOND_SCAN.replace('agreed', 'agree'));
  await findAll(t.context);
  t.deepEqual(idsOf(await similarTo(admin, third)).toSorted(), both);

  await processAgain(database.db, third.id, OF_ANOTHER);
  await findAll(t.context);
  t.deepEqual([await similarTo(admin, third), await withSimilar(admin, true)], [[], []], 'the text is another one now');
  const again = await admin.post(`/api/documents/${first.id}/similar/${first.id}/dismiss`, {});
  t.deepEqual([again.status, conditionOf(again.body)], [404, 'DOCUMENT_NOT_FOUND']);
});

test.serial('documents that wait together are compared in one transaction, also with each other', async (t) => {
  const { admin, database } = t.context;
  await database.pool.query('delete from documents');
  const owner = await idOf(admin);
  const scans = [FIRST, SECOND_SCAN, SECOND_SCAN.replace('agreed', 'agree')];
  const ids: string[] = [];
  for (const scan of scans) ids.push((await givenProcessedDocument(database.db, owner, scan)).id);
  await using counted = openCounted(database);
  t.false(await new SignatureBacklog(counted.db, silentLogger()).compare(100));
  for (const id of ids) t.deepEqual(idsOf(await similarTo(admin, { id })).toSorted(), ids.filter((other) => other !== id).toSorted());
  t.is(counted.sent.filter((label) => label === 'commit').length, 1, JSON.stringify(counted.sent));
});

test.serial('documents without a signature get one, and rows go with their document', async (t) => {
  const { admin, database } = t.context;
  await database.pool.query('delete from documents');
  const owner = await idOf(admin);
  const [first, second] = [
    await givenProcessedDocument(database.db, owner, FIRST),
    await givenProcessedDocument(database.db, owner, SECOND_SCAN),
  ];
  await database.pool.query('delete from minhash_signatures');
  await findAll(t.context);
  t.deepEqual(idsOf(await similarTo(admin, first)), [second.id]);
  const { rows } = await database.pool.query<{ bytes: number }>('select octet_length(signature) as bytes from minhash_signatures');
  t.deepEqual(
    rows.map(({ bytes }) => bytes),
    [SIGNATURE_BYTES, SIGNATURE_BYTES],
  );
  await database.pool.query(`update minhash_signatures set signature = signature || 'x'::bytea where document_id = $1`, [first.id]);
  await findAll(t.context);
  const remade = await database.pool.query(`select from minhash_signatures where octet_length(signature) = $1`, [SIGNATURE_BYTES]);
  t.is(remade.rowCount, 2, 'a signature of an earlier version is made again');
  await database.pool.query(`update documents set sha256 = repeat('0', 64) where id = $1`, [first.id]);
  t.is((await database.pool.query('select from minhash_signatures')).rowCount, 1, 'another file has another signature');
  t.is((await admin.delete(`/api/documents/${second.id}`)).status, 204);
  t.deepEqual(await similarTo(admin, first), [], 'of a document in the trash nobody hears');
  t.is((await admin.delete(`/api/trash/${second.id}`)).status, 204);
  for (const table of ['minhash_signatures', 'near_duplicates'])
    t.is((await database.pool.query(`select from ${table}`)).rowCount, 0, table);
});

test.serial('of documents that one may not read there is no sign', async (t) => {
  const { admin, database } = t.context;
  await database.pool.query('delete from documents');
  await admin.register('eve-similar', 'editor');
  await using api = await startApiWithPermissions(database, {
    'eve-similar': ['documents.read.own', 'documents.update.own', 'search.query.own'],
  });
  const eve = await new ApiClient(api.url).login('eve-similar');
  const [mine, theirs] = [
    await givenProcessedDocument(database.db, await idOf(eve), FIRST),
    await givenProcessedDocument(database.db, await idOf(admin), SECOND_SCAN),
  ];
  await findAll(t.context);
  t.deepEqual(idsOf(await similarTo(admin, mine)), [theirs.id]);
  t.deepEqual(await withSimilar(admin, true), [mine.id, theirs.id].toSorted());
  t.deepEqual(await similarTo(eve, mine), []);
  t.deepEqual([await withSimilar(eve, true), await withSimilar(eve, false)], [[], [mine.id]]);
  t.is((await eve.get(`/api/documents/${theirs.id}/similar`)).status, 404);
  t.is((await eve.post(`/api/documents/${mine.id}/similar/${theirs.id}/dismiss`, {})).status, 404);
  t.is((await eve.post(`/api/documents/${theirs.id}/similar/${mine.id}/dismiss`, {})).status, 404);
  t.deepEqual(idsOf(await similarTo(admin, theirs)), [mine.id], 'and nothing was dismissed');
});
