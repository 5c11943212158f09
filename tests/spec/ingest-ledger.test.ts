// The rows about what becomes of each file that is seen on a route: the ledger, its endpoint and its event.

import type { LedgerEntryBody } from '@sheaf/contract/imports';
import { recordLedger } from '@sheaf/ingest';
import { INGEST_ROUTES, LEDGER_STATES } from '@sheaf/vocabulary/documents';
import { givenPerson } from '../support/person.ts';
import { testWithApi } from '../support/running-api.ts';

const test = testWithApi();

const note = (name: string, words: string) => ({ name, bytes: new TextEncoder().encode(words) });
const entriesOf = (body: Record<string, unknown>) => body['data'] as LedgerEntryBody[];

test('GET /api/ingest?state&route&q: what happened to each file, and why', async (t) => {
  const { client } = await givenPerson(t.context, 'editor');
  await client.upload(note('Row.txt', 'row of the ledger'));
  await client.upload(note('table.exe', 'MZ'));
  const { status, body } = await client.get('/api/ingest');
  t.is(status, 200);
  t.deepEqual(
    entriesOf(body).map(({ filename, state, reason }) => ({ filename, state, reason })),
    [
      { filename: 'table.exe', state: 'ignored', reason: 'Files of type .exe are not supported.' },
      { filename: 'Row.txt', state: 'ingested', reason: null },
    ],
  );
  for (const query of ['state=ignored', 'q=not+supported', 'q=TABLE'])
    t.deepEqual(
      entriesOf((await client.get(`/api/ingest?route=upload&${query}`)).body).map(({ filename }) => filename),
      ['table.exe'],
      query,
    );
});

test('Lists answer {data, pagination}: ledger', async (t) => {
  const { body } = await (await givenPerson(t.context, 'viewer')).client.get('/api/ingest');
  t.deepEqual(body, { data: [], pagination: { page: 1, per_page: 20, total: 0, total_pages: 0, has_next: false, has_prev: false } });
});

test('The routes of the ledger are upload, watch, user_watch, webdav, s3, local_folder and import; its states waiting, ingested, duplicate, ignored and failed', async (t) => {
  const { client, id } = await givenPerson(t.context, 'viewer');
  t.deepEqual([...INGEST_ROUTES], ['upload', 'watch', 'user_watch', 'webdav', 's3', 'local_folder', 'import']);
  t.deepEqual([...LEDGER_STATES], ['waiting', 'ingested', 'split', 'duplicate', 'ignored', 'failed']);
  for (const route of INGEST_ROUTES)
    for (const state of LEDGER_STATES) await recordLedger(t.context.database.db, { route, state, path: `${id} ${state}`, ownerId: id });
  for (const route of INGEST_ROUTES) {
    for (const state of LEDGER_STATES) {
      const entries = entriesOf((await client.get(`/api/ingest?route=${route}&state=${state}`)).body);
      t.deepEqual(
        entries.map((entry) => [entry.route, entry.state]),
        [[route, state]],
      );
    }
  }
});

test('Further types: ingest {route, filename, state, reason}, once for each file and in its words', async (t) => {
  const { client, id } = await givenPerson(t.context, 'editor');
  await client.upload(note('First.txt', 'row of the event'));
  await client.upload(note('Second.txt', 'row of the event'));
  await client.upload(note('empty.txt', ''));
  await client.upload(note('Third.txt', 'third row of the event'), { language: '../etc' });
  const { rows } = await t.context.database.pool.query<{ data: unknown }>(
    "select data from events where type = 'ingest' and owner_id = $1 order by id",
    [id],
  );
  t.deepEqual(
    rows.map(({ data }) => data),
    entriesOf((await client.get('/api/ingest?order=asc')).body).map(({ route, filename, state, reason }) => ({
      route,
      filename,
      state,
      reason,
    })),
  );
  t.deepEqual(
    rows.map(({ data }) => (data as { state: string }).state),
    ['ingested', 'duplicate', 'ignored', 'failed'],
  );
});
