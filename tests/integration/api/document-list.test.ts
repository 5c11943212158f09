import { foldDocumentTallies } from '@sheaf/documents';
import { uuidv7 } from '@sheaf/process';
import { type Answer, ApiClient } from '@sheaf/testkit';
import { DOCUMENT_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import type { ExecutionContext } from 'ava';
import { startApiWithPermissions } from '../../support/api-with-permissions.ts';
import { oneIn } from '../../support/full-run.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi();

const LABELS = { common: uuidv7(), some: uuidv7(), unused: uuidv7() };
const SOURCE = uuidv7();
const MANY = 60;

interface Row {
  readonly id: string;
  readonly owner: string;
  readonly title: string;
  readonly filename: string;
  readonly size: number;
  readonly status: string;
  readonly mimeType: string;
  readonly confidence: number | null;
  readonly sourceId: string | null;
  readonly createdAt: Date;
  readonly labels: readonly string[];
}

/** Rows with many ties, over three months, of two owners. */
const library = (owners: readonly string[]): Row[] =>
  Array.from({ length: MANY }, (_, i) => ({
    id: uuidv7(),
    owner: owners[i % 3 === 0 ? 1 : 0] ?? '',
    title: ['Zebra', 'apfel', 'Äpfel', 'bank', 'Bank'][i % 5] ?? '',
    filename: `scan-${String((i * 7) % 10)}.pdf`,
    size: 1 + ((i * 13) % 20),
    status: i % 9 === 0 ? 'failed' : i % 7 === 0 ? 'pending' : 'completed',
    mimeType: i % 4 === 0 ? 'image/png' : 'application/pdf',
    confidence: i % 9 === 0 || i % 7 === 0 ? null : (i % 8) / 8,
    sourceId: i % 6 === 0 ? SOURCE : null,
    // every 36 hours, so that some stand at the very beginning of a month
    createdAt: new Date(Date.UTC(2026, 0, 1) + i * 36 * 3_600_000),
    labels: [...(i % 2 === 0 ? [LABELS.common] : []), ...(i % 5 === 0 ? [LABELS.some] : [])],
  }));

let rows: Row[] = [];

const fill = async ({ admin, anyone, database }: RunningApi): Promise<void> => {
  for (const name of ['ann', 'ben'])
    await admin.post('/api/auth/register', {
      username: name,
      email: `${name}@example.org`,
      password: 'correct horse battery',
      role: 'viewer',
    });
  const owners = await Promise.all(
    ['ann', 'ben'].map(async (name) => String((await (await anyone.login(name)).get('/api/auth/me')).body['id'])),
  );
  rows = library(owners);
  for (const [name, id] of Object.entries(LABELS))
    await database.pool.query("insert into labels (id, name, color) values ($1, $2, '#808080')", [id, name]);
  for (const [index, row] of rows.entries()) {
    await database.pool.query(
      `insert into documents (id, owner_id, title, filename, size_bytes, status, error_code, mime_type, ocr_confidence, source_id, source, created_at, sha256, file_path, ocr_language)
       values ($1, $2, $3, $4, $5, $6, case when $6 = 'failed' then 'corrupt' end, $7, $8, $9, 'upload', $10, lpad($11, 64, '0'), '/nowhere', 'eng')`,
      [
        row.id,
        row.owner,
        row.title,
        row.filename,
        row.size,
        row.status,
        row.mimeType,
        row.confidence,
        row.sourceId,
        row.createdAt,
        String(index),
      ],
    );
    for (const label of row.labels) await database.pool.query('insert into document_labels values ($1, $2)', [row.id, label]);
    // half of them are counted by the tallies, half by what waits
    if (index === MANY / 2) await foldDocumentTallies(database.db);
  }
};

let filled: Promise<void> | undefined;
test.beforeEach(async (t) => {
  filled ??= fill(t.context);
  await filled;
});

const list = async (client: ApiClient, query: Readonly<Record<string, string>> | string): Promise<Answer> =>
  client.get(`/api/documents?${typeof query === 'string' ? query : new URLSearchParams(query).toString()}`);

const idsOf = ({ body }: Answer): string[] => (body['data'] as { id: string }[]).map(({ id }) => id);
const totalOf = ({ body }: Answer): number => (body['pagination'] as { total: number }).total;

/** Everything that matches, page by page. */
const walk = async (t: ExecutionContext, client: ApiClient, query: Readonly<Record<string, string>>): Promise<string[]> => {
  const ids: string[] = [];
  for (let page = 1; ; page += 1) {
    const answer = await list(client, { ...query, per_page: '7', page: String(page) });
    t.is(answer.status, 200);
    ids.push(...idsOf(answer));
    if ((answer.body['pagination'] as { has_next: boolean }).has_next) continue;
    t.is(totalOf(answer), ids.length);
    return ids;
  }
};

const day = (text: string): number => Date.parse(text);

const FILTERS: readonly [Readonly<Record<string, string>>, (row: Row) => boolean][] = [
  [{}, () => true],
  [{ status: 'completed' }, (row) => row.status === 'completed'],
  [{ status: 'processing' }, () => false],
  [{ source_id: SOURCE }, (row) => row.sourceId === SOURCE],
  [{ source_id: uuidv7() }, () => false],
  [{ label_ids: LABELS.common }, (row) => row.labels.includes(LABELS.common)],
  [{ label_ids: LABELS.unused }, () => false],
  [{ label_ids: uuidv7() }, () => false],
  [{ label_ids: '' }, () => true],
  [{ label_ids: ` ${LABELS.some},${LABELS.some} ,` }, (row) => row.labels.includes(LABELS.some)],
  [{ label_ids: `${LABELS.common},${LABELS.some}` }, (row) => row.labels.length > 0],
  [{ label_ids: `${LABELS.common},${LABELS.some}`, label_match: 'all' }, (row) => row.labels.length === 2],
  [{ label_ids: `${LABELS.common},${LABELS.unused}`, label_match: 'all' }, () => false],
  [{ has_labels: 'false' }, (row) => row.labels.length === 0],
  [{ has_labels: 'true' }, (row) => row.labels.length > 0],
  [{ owner_id: uuidv7() }, () => false],
  [{ mime_types: 'image/tiff,application/pdf' }, (row) => row.mimeType === 'application/pdf'],
  [{ mime_types: '' }, () => true],
  [{ label_ids: Array.from({ length: 50 }, () => uuidv7()).join() }, () => false],
  [{ date_from: '2026-02-01' }, (row) => row.createdAt.getTime() >= day('2026-02-01')],
  [{ date_from: '2026-02-10' }, (row) => row.createdAt.getTime() >= day('2026-02-10')],
  [{ date_to: '2026-01-31' }, (row) => row.createdAt.getTime() < day('2026-02-01')],
  [{ date_to: '2026-03-05' }, (row) => row.createdAt.getTime() < day('2026-03-06')],
  [{ date_to: '2026-01-04T00:00:00Z' }, (row) => row.createdAt.getTime() <= day('2026-01-04')],
  [{ date_to: '2026-01-03T23:59:59.999Z' }, (row) => row.createdAt.getTime() < day('2026-01-04')],
  [{ date_from: '2026-01-04T02:00:00+02:00', date_to: '2026-01-04' }, (row) => row.createdAt.getTime() === day('2026-01-04')],
  [
    { date_from: '2026-01-10', date_to: '2026-03-12' },
    (row) => row.createdAt.getTime() >= day('2026-01-10') && row.createdAt.getTime() < day('2026-03-13'),
  ],
  [
    { date_from: '2026-01-10', date_to: '2026-02-12' },
    (row) => row.createdAt.getTime() >= day('2026-01-10') && row.createdAt.getTime() < day('2026-02-13'),
  ],
  [{ date_from: '2026-02-01', date_to: '2026-02-28' }, (row) => row.createdAt.getUTCMonth() === 1],
  [{ date_from: '2026-03-01', date_to: '2026-01-01' }, () => false],
  [{ date_from: '0000-01-01' }, () => true],
  [{ date_from: '0000-01-01T00:00:00+14:00', date_to: '9999-12-31' }, () => true],
  [{ date_to: '9999-12-31T23:59:59-14:00' }, () => true],
  [{ date_from: '9999-12-31T23:59:59-14:00' }, () => false],
  [{ date_to: '0000-12-31' }, () => false],
  [
    { label_ids: LABELS.common, status: 'completed', date_from: '2026-01-15', date_to: '2026-03-10' },
    (row) =>
      row.labels.includes(LABELS.common) &&
      row.status === 'completed' &&
      row.createdAt.getTime() >= day('2026-01-15') &&
      row.createdAt.getTime() < day('2026-03-11'),
  ],
  [
    { source_id: SOURCE, status: 'pending', label_ids: LABELS.common },
    (row) => row.sourceId === SOURCE && row.status === 'pending' && row.labels.includes(LABELS.common),
  ],
];

for (const [number, [query, isMatch]] of oneIn(5, [...FILTERS.entries()]))
  test(`the list with filter ${number} (${Object.keys(query).join(', ') || 'none'}) has each document that matches once, and counts them`, async (t) => {
    const expected = rows.filter(isMatch);
    t.deepEqual((await walk(t, t.context.admin, query)).toSorted(), expected.map(({ id }) => id).toSorted());
    await using api = await startApiWithPermissions(t.context.database, { ben: ['documents.read.own'] });
    const ben = await new ApiClient(api.url).login('ben');
    const his = expected.filter((row) => row.owner === rows[0]?.owner);
    t.deepEqual((await walk(t, ben, query)).toSorted(), his.map(({ id }) => id).toSorted());
  });

const PEOPLE = new Intl.Collator('und');
const KEYS: Readonly<Record<string, (a: Row, b: Row) => number>> = {
  created_at: (a, b) => a.createdAt.getTime() - b.createdAt.getTime(),
  title: (a, b) => PEOPLE.compare(a.title, b.title),
  filename: (a, b) => PEOPLE.compare(a.filename, b.filename),
  size: (a, b) => a.size - b.size,
  status: (a, b) => (a.status < b.status ? -1 : Number(a.status > b.status)),
  mime_type: (a, b) => (a.mimeType < b.mimeType ? -1 : Number(a.mimeType > b.mimeType)),
  ocr_confidence: (a, b) => (a.confidence ?? -1) - (b.confidence ?? -1),
};

for (const sort of oneIn(4, DOCUMENT_SORT_FIELDS))
  test(`a list by ${sort} is in that order, ties by id, and the other way round in the other direction`, async (t) => {
    const ascending = await walk(t, t.context.admin, { sort, order: 'asc' });
    t.deepEqual(await walk(t, t.context.admin, { sort, order: 'desc' }), ascending.toReversed());
    t.is(new Set(ascending).size, MANY);
    const key = KEYS[sort];
    if (key !== undefined)
      t.deepEqual(
        ascending,
        rows.toSorted((a, b) => key(a, b) || (a.id < b.id ? -1 : 1)).map(({ id }) => id),
      );
  });

test('a list is the newest twenty by default and says where it stands', async (t) => {
  const answer = await list(t.context.admin, {});
  t.deepEqual(
    idsOf(answer),
    rows
      .toReversed()
      .slice(0, 20)
      .map(({ id }) => id),
  );
  t.deepEqual(answer.body['pagination'], { page: 1, per_page: 20, total: MANY, total_pages: 3, has_next: true, has_prev: false });
  t.deepEqual((answer.body['data'] as { labels: string[] }[])[1]?.labels, ['common']);
});

test('a page beyond the last one is empty, however far, and has the total', async (t) => {
  for (const page of ['9', '1000000']) {
    const answer = await list(t.context.admin, { page, per_page: '100' });
    t.is(answer.status, 200);
    t.deepEqual([idsOf(answer), totalOf(answer)], [[], MANY]);
  }
});

for (const query of [
  'page=0',
  'page=1000001',
  'page=1.5',
  'per_page=0',
  'sort=nothing',
  'order=up',
  'status=done',
  'source_id=7',
  'label_ids=7',
  `label_ids=${Array.from({ length: 51 }, () => uuidv7()).join()}`,
  'date_from=yesterday',
  'date_from=2026-02-30',
  'date_to=2026-13-01',
  'date_to=10000-01-01',
  'date_from=2026-01-01T25:00:00Z',
  'owner=me',
  'sort=title&sort=size',
])
  test(`a list with ${query.slice(0, 40)} is refused`, async (t) => {
    const { status, body } = await list(t.context.admin, query);
    t.is(status, 400);
    t.is((body['error'] as { code: string }).code, 'VALIDATION_ERROR');
  });

test.serial('what comes, changes and goes is counted at once', async (t) => {
  const { admin } = t.context;
  const before = totalOf(await list(admin, { status: 'pending', date_from: '2026-06-01' }));
  const { body } = await admin.upload({ name: 'new.txt', bytes: new TextEncoder().encode('something new') });
  t.is(totalOf(await list(admin, { status: 'pending', date_from: '2026-06-01' })), before + 1);
  await admin.delete(`/api/documents/${String(body['id'])}`);
  t.is(totalOf(await list(admin, { status: 'pending', date_from: '2026-06-01' })), before);
});
