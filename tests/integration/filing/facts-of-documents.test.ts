// What a document states is found when it is processed, and files it, except for what people have set.
import { correspondents, documentFacts } from '@sheaf/db/schema';
import { uuidv7 } from '@sheaf/process';
import { type Answer, ApiClient } from '@sheaf/testkit';
import { FACTS_VERSION, type FactKind } from '@sheaf/vocabulary/facts';
import { startApiWithPermissions } from '../../support/api-with-permissions.ts';
import { conditionOf } from '../../support/error-condition.ts';
import { givenProcessedDocument, processAgain } from '../../support/processed-document.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi();

interface FactBody {
  readonly id: string;
  readonly kind: FactKind;
  readonly value: string;
  readonly page: number | null;
  readonly is_ambiguous: boolean;
  readonly is_chosen: boolean;
  readonly is_confirmed: boolean;
}

const INVOICE = `Northwind Trading Ltd.
www.northwind-trading.example  office@northwind-trading.example
Invoice no. 2024-117
Invoice date: 17 May 2024
Total due GBP 1,200.00
IBAN GB82 WEST 1234 5698 7654 32
VAT ID DE136695976`;

const idOf = async (client: ApiClient): Promise<string> => String((await client.get('/api/auth/me')).body['id']);
const factsOf = async (client: ApiClient, id: string): Promise<FactBody[]> =>
  (await client.get(`/api/documents/${id}/facts`)).body['facts'] as FactBody[];
const chosenOf = (facts: readonly FactBody[], kind: FactKind): string | undefined =>
  facts.find((fact) => fact.kind === kind && fact.is_chosen)?.value;
const choose = (client: ApiClient, id: string, fact: FactBody | undefined): Promise<Answer> =>
  client.post(`/api/documents/${id}/facts/${String(fact?.id)}/choose`, {});
const codeOf = ({ status, body }: Answer): [number, unknown] => [status, conditionOf(body)];

const changesOf = async ({ database }: RunningApi, id: string): Promise<unknown[]> => {
  const { rows } = await database.pool.query<{ changes: unknown }>(
    "select data -> 'changes' as changes from events where document_id = $1 and type = 'document_updated' order by id",
    [id],
  );
  return rows.map(({ changes }) => changes);
};
const correspondentOf = async ({ database }: RunningApi, id: string) =>
  (
    await database.pool.query<Record<string, unknown>>(
      'select c.* from correspondents c join documents d on d.correspondent_id = c.id where d.id = $1',
      [id],
    )
  ).rows[0];
/** Those of other tests would be found too. */
const forgetCorrespondents = ({ database }: RunningApi) => database.pool.query('delete from correspondents');

test.serial('a processed document has its facts and its date, and says so in its event', async (t) => {
  const { admin, database } = t.context;
  const document = await givenProcessedDocument(database.db, await idOf(admin), INVOICE);
  const facts = await factsOf(admin, document.id);
  t.is(chosenOf(facts, 'document_date'), '2024-05-17');
  t.is(chosenOf(facts, 'total'), '1200.00');
  t.is(chosenOf(facts, 'iban'), 'GB82WEST12345698765432');
  t.is(chosenOf(facts, 'vat_id'), 'DE136695976');
  t.is(facts.find(({ kind }) => kind === 'sender')?.value, 'Northwind Trading Ltd.');
  t.is(chosenOf(facts, 'sender'), undefined, 'nobody has said that it is a correspondent');
  t.like((await admin.get(`/api/documents/${document.id}`)).body, { document_date: '2024-05-17' });
  t.like((await changesOf(t.context, document.id)).at(-1), { status: 'completed', document_date: '2024-05-17' });
  t.deepEqual(document.confirmedFields, []);
  t.truthy(document.factsFoundAt);
  t.is(document.factsVersion, FACTS_VERSION);
});

test.serial('a chosen sender becomes a correspondent that the next document of the same IBAN, VAT ID or domain has', async (t) => {
  const { admin, database } = t.context;
  await forgetCorrespondents(t.context);
  const { id } = await givenProcessedDocument(database.db, await idOf(admin), INVOICE);
  const sender = (await factsOf(admin, id)).find(({ kind }) => kind === 'sender');
  const { status, body } = await choose(admin, id, sender);
  t.is(status, 200);
  t.is(chosenOf(body['facts'] as FactBody[], 'sender'), 'Northwind Trading Ltd.');
  const correspondent = await correspondentOf(t.context, id);
  t.like(correspondent, {
    name: 'Northwind Trading Ltd.',
    ibans: ['GB82WEST12345698765432'],
    vat_ids: ['DE136695976'],
    domains: ['northwind-trading.example'],
    created_by: await idOf(admin),
  });
  t.like((await changesOf(t.context, id)).at(-1), {
    correspondent: { id: String(correspondent?.['id']), name: 'Northwind Trading Ltd.' },
    facts: { sender: 'Northwind Trading Ltd.' },
  });
  const next = await givenProcessedDocument(database.db, await idOf(admin), 'A reminder\nPlease pay to GB82 WEST 1234 5698 7654 32');
  t.is(next.correspondentId, String(correspondent?.['id']));
  t.like((await changesOf(t.context, next.id)).at(-1), { correspondent: { name: 'Northwind Trading Ltd.' } });
  t.is(chosenOf(await factsOf(admin, next.id), 'sender'), 'Northwind Trading Ltd.');
  await choose(
    admin,
    next.id,
    (await factsOf(admin, next.id)).find(({ kind }) => kind === 'sender'),
  );
  t.is((await database.pool.query('select from correspondents')).rowCount, 1, 'and it is not made twice');
});

test.serial('what belongs to another correspondent is not learnt, and no more than twenty of each', async (t) => {
  const { admin, database } = t.context;
  await forgetCorrespondents(t.context);
  const { id } = await givenProcessedDocument(database.db, await idOf(admin), INVOICE);
  const vatIds = Array.from({ length: 20 }, (_, at) => `XX${at}`);
  await database.db.insert(correspondents).values([
    { id: uuidv7(), name: 'Landlord', ibans: ['GB82WEST12345698765432'] },
    { id: uuidv7(), name: 'NW', aliases: ['northwind TRADING ltd.'], vatIds },
  ]);
  await choose(
    admin,
    id,
    (await factsOf(admin, id)).find(({ kind, value }) => kind === 'sender' && value === 'Northwind Trading Ltd.'),
  );
  t.like(await correspondentOf(t.context, id), { name: 'NW', ibans: [], vat_ids: vatIds });
});

test.serial('an ambiguous date is taken but not confirmed; the one that a person chooses teaches the order of the sender', async (t) => {
  const { admin, database } = t.context;
  await forgetCorrespondents(t.context);
  const ownerId = await idOf(admin);
  await database.db.insert(correspondents).values({ id: uuidv7(), name: 'Contoso Pharmacies Inc.', createdBy: ownerId });
  const text = (day: string) => `Contoso Pharmacies Inc.\nInvoice date: ${day}`;
  const { id, documentDate, confirmedFields } = await givenProcessedDocument(database.db, ownerId, text('03/04/2024'));
  t.is(documentDate, '2024-04-03');
  t.deepEqual(confirmedFields, []);
  const dates = (await factsOf(admin, id)).filter(({ kind }) => kind === 'document_date');
  t.deepEqual(
    dates.map(({ value, is_ambiguous, is_chosen }) => [value, is_ambiguous, is_chosen]),
    [
      ['2024-04-03', true, true],
      ['2024-03-04', true, false],
    ],
  );
  const { body } = await choose(admin, id, dates[1]);
  t.is(chosenOf(body['facts'] as FactBody[], 'document_date'), '2024-03-04');
  t.deepEqual(
    (body['facts'] as FactBody[]).filter(({ is_confirmed }) => is_confirmed).map(({ value }) => value),
    ['2024-03-04'],
  );
  t.like((await admin.get(`/api/documents/${id}`)).body, { document_date: '2024-03-04' });
  t.like(await correspondentOf(t.context, id), { date_order: 'month_first', ibans: [], domains: [] });
  const next = await givenProcessedDocument(database.db, ownerId, text('05/06/2024'));
  t.is(next.documentDate, '2024-05-06');
});

test.serial('running OCR again replaces facts, but neither the date nor the facts that people have chosen', async (t) => {
  const { admin, database } = t.context;
  await forgetCorrespondents(t.context);
  const { id } = await givenProcessedDocument(database.db, await idOf(admin), `${INVOICE}\nPrinted 1 June 2024\nTotal GBP 900.00`);
  const facts = await factsOf(admin, id);
  await choose(
    admin,
    id,
    facts.find(({ kind, value }) => kind === 'document_date' && value === '2024-06-01'),
  );
  await choose(
    admin,
    id,
    facts.find(({ kind, value }) => kind === 'total' && value === '900.00'),
  );
  const again = await processAgain(database.db, id, 'Northwind Trading Ltd.\nInvoice date: 2 July 2024\nTotal GBP 77.00\nInvoice no. 4712');
  t.is(again.documentDate, '2024-06-01');
  const after = await factsOf(admin, id);
  t.is(chosenOf(after, 'document_date'), '2024-06-01');
  t.is(chosenOf(after, 'total'), '900.00');
  t.is(chosenOf(after, 'invoice_number'), '4712');
  t.true(after.some(({ kind, value }) => kind === 'document_date' && value === '2024-07-02'));
  t.false(
    after.some(({ kind }) => kind === 'iban'),
    'what is not there any more is gone',
  );
});

test.serial('a date that a person has written stays, and marks the fact that says the same', async (t) => {
  const { admin, database } = t.context;
  const { id } = await givenProcessedDocument(database.db, await idOf(admin), INVOICE);
  t.is((await admin.send('PATCH', `/api/documents/${id}`, { document_date: '2020-01-02' })).status, 200);
  t.is(chosenOf(await factsOf(admin, id), 'document_date'), undefined);
  t.is((await processAgain(database.db, id, INVOICE)).documentDate, '2020-01-02');
  t.is((await admin.send('PATCH', `/api/documents/${id}`, { document_date: '2024-05-17' })).status, 200);
  t.is(chosenOf(await factsOf(admin, id), 'document_date'), '2024-05-17');
  t.is((await admin.send('PATCH', `/api/documents/${id}`, { document_date: null })).status, 200);
  t.is((await processAgain(database.db, id, INVOICE)).documentDate, null);
});

test.serial('a date that was found goes when it is not found any more', async (t) => {
  const { admin, database } = t.context;
  const { id } = await givenProcessedDocument(database.db, await idOf(admin), INVOICE);
  t.is((await processAgain(database.db, id, 'no day at all')).documentDate, null);
});

test.serial('a correspondent that a person has set stays, and one of somebody else is not known', async (t) => {
  const { admin, database } = t.context;
  await forgetCorrespondents(t.context);
  const ownerId = await idOf(admin);
  const [northwind, other] = [uuidv7(), uuidv7()];
  await database.db.insert(correspondents).values([
    { id: northwind, name: 'Northwind Trading Ltd.', createdBy: ownerId },
    { id: other, name: 'Adventure Works', createdBy: ownerId },
  ]);
  const { id, correspondentId } = await givenProcessedDocument(database.db, ownerId, INVOICE);
  t.is(correspondentId, northwind);
  await database.pool.query("update documents set correspondent_id = $2, confirmed_fields = '{correspondent}' where id = $1", [id, other]);
  t.is((await processAgain(database.db, id, INVOICE)).correspondentId, other);
  t.is(chosenOf(await factsOf(admin, id), 'sender'), undefined);
});

test.serial('a new correspondent takes the permission to make one, and learning that to change it', async (t) => {
  const { admin, database } = t.context;
  await forgetCorrespondents(t.context);
  await admin.register('fay', 'editor');
  const { rows } = await database.pool.query<{ id: string }>("select id from users where username = 'fay'");
  const ownerId = String(rows[0]?.id);
  const { id } = await givenProcessedDocument(database.db, ownerId, INVOICE);
  await using api = await startApiWithPermissions(database, { fay: ['documents.read', 'documents.update', 'labels.read'] });
  const fay = await new ApiClient(api.url).login('fay');
  const sender = (await factsOf(fay, id)).find(({ kind }) => kind === 'sender');
  t.is((await choose(fay, id, sender)).status, 403);
  t.is((await database.pool.query('select from correspondents')).rowCount, 0);
  await database.db.insert(correspondents).values({ id: uuidv7(), name: 'Northwind Trading Ltd.' });
  t.is((await choose(fay, id, sender)).status, 200);
  t.like(await correspondentOf(t.context, id), { name: 'Northwind Trading Ltd.', ibans: [], domains: [] });
});

test.serial('facts of others and facts that do not exist are not found', async (t) => {
  const { admin, database } = t.context;
  const { id } = await givenProcessedDocument(database.db, await idOf(admin), INVOICE);
  const other = await givenProcessedDocument(database.db, await idOf(admin), INVOICE);
  const [fact] = await factsOf(admin, other.id);
  t.deepEqual(codeOf(await choose(admin, id, fact)), [404, 'FACT_NOT_FOUND']);
  t.is((await choose(await admin.register('vic', 'viewer'), other.id, fact)).status, 403);
  await admin.register('gus', 'viewer');
  await using api = await startApiWithPermissions(database, { gus: ['documents.read.own', 'documents.update.own'] });
  const gus = await new ApiClient(api.url).login('gus');
  t.is((await gus.get(`/api/documents/${id}/facts`)).status, 404);
  t.deepEqual(codeOf(await choose(gus, other.id, fact)), [404, 'DOCUMENT_NOT_FOUND']);
});

test.serial('a document of thousands of dates, numbers and long pages has ten facts of a kind, and is processed', async (t) => {
  const { admin, database } = t.context;
  const dates = Array.from({ length: 5_000 }, (_, at) => `${(at % 28) + 1}/${(at % 12) + 1}/20${10 + (at % 14)} Total ${at}.50 no ${at}A`);
  const pages = [
    dates.join('\n'),
    ...Array.from({ length: 30 }, () => dates.slice(0, 100).join('\n')),
    'x'.repeat(400_000),
    'DE89 '.repeat(20_000),
  ];
  const document = await givenProcessedDocument(database.db, await idOf(admin), ...pages);
  t.is(document.status, 'completed');
  const counts = Map.groupBy(await factsOf(admin, document.id), ({ kind }) => kind);
  t.true([...counts.values()].every((facts) => facts.length <= 10));
  t.is(counts.get('document_date')?.length, 10);
});

test.serial('a correspondent that goes leaves its facts', async (t) => {
  const { admin, database } = t.context;
  await forgetCorrespondents(t.context);
  const ownerId = await idOf(admin);
  await database.db.insert(correspondents).values({ id: uuidv7(), name: 'Northwind Trading Ltd.', createdBy: ownerId });
  const { id } = await givenProcessedDocument(database.db, ownerId, INVOICE);
  await forgetCorrespondents(t.context);
  const rows = await database.db.select().from(documentFacts);
  t.true(rows.some(({ documentId, kind, correspondentId }) => documentId === id && kind === 'sender' && correspondentId === null));
  t.is(chosenOf(await factsOf(admin, id), 'sender'), undefined);
});
