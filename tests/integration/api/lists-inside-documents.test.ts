// The lists inside a document: all rows where no page is asked for, otherwise sorted and cut like the other lists.
import { uuidv7 } from '@sheaf/process';
import type { ApiClient } from '@sheaf/testkit';
import {
  FACT_SORT_FIELDS,
  NOTE_SORT_FIELDS,
  PAGE_SORT_FIELDS,
  RULE_CHANGE_SORT_FIELDS,
  SIGNATURE_SORT_FIELDS,
  SIMILAR_SORT_FIELDS,
  VERSION_SORT_FIELDS,
} from '@sheaf/vocabulary/part-sort-fields';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi();
type Row = Record<string, unknown>;
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** A document with three rows in each of its lists but for signatures, which a text file has none of. */
const fill = async ({ admin, database: { pool } }: RunningApi): Promise<string> => {
  const id = String((await admin.upload({ name: 'letter.txt', bytes: bytesOf(`a letter ${uuidv7()}`) })).body['id']);
  for (const [n, word] of ['beta', 'Alpha', 'gamma'].entries()) {
    await admin.post(`/api/documents/${id}/notes`, { text: word });
    const other = String((await admin.upload({ name: `${word}.txt`, bytes: bytesOf(`another ${word} ${uuidv7()}`) })).body['id']);
    await pool.query(
      'insert into near_duplicates (document_id, other_id, similarity) values (least($1::uuid, $2), greatest($1::uuid, $2), $3)',
      [id, other, 0.9 - n / 10],
    );
    await pool.query(`insert into document_pages (document_id, page, content, confidence, origin) values ($1, $2, $3, $4, $5)`, [
      id,
      n + 1,
      word,
      0.5 + n / 10,
      n === 1 ? 'ocr' : 'text',
    ]);
    await pool.query(
      `insert into document_facts (id, document_id, kind, value, page, confidence, rule, rank) values ($1, $2, $3, $4, $5, $6, 'words', $7)`,
      [uuidv7(), id, n === 0 ? 'total' : 'iban', word, n === 1 ? null : n + 1, 0.3 * n, n],
    );
    await pool.query(
      `insert into rule_changes (id, rule_name, document_id, field, to_value, changed_at) values ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))`,
      [uuidv7(), word, id, n === 0 ? 'label' : 'owner', { id: uuidv7(), name: word }, n],
    );
    await pool.query(
      `insert into document_versions (document_id, version, filename, mime_type, size_bytes, sha256, file_path, ocr_language, source, created_at)
       values ($1, $2, $3, 'text/plain', $4, $5, '/none', 'eng', 'upload', now() - make_interval(days => 9 - $2::int))`,
      [id, n + 1, word, 30 - n, String(n).repeat(64)],
    );
  }
  await pool.query(
    'insert into document_version_pages (document_id, version, page, content, confidence, origin) select document_id, 1, page, content, confidence, origin from document_pages where document_id = $1',
    [id],
  );
  await pool.query('update documents set version = 4, version_created_at = now() where id = $1', [id]);
  return id;
};

/** The value of a row in a sort field: of a similar document it can stand in the document. */
const valueOf = (row: Row, field: string): unknown => row[field] ?? (row['document'] as Row | undefined)?.[field] ?? null;
const isInOrder = (a: unknown, b: unknown): boolean => {
  if (a === b || a === null) return true;
  if (b === null) return false;
  return typeof a === 'string' && typeof b === 'string' ? a <= b || a.localeCompare(b, 'en') <= 0 : Number(a) <= Number(b);
};

const listsOf = (id: string) => [
  { path: `/api/documents/${id}/notes`, name: 'notes', sorts: NOTE_SORT_FIELDS, rows: 3 },
  { path: `/api/documents/${id}/versions`, name: 'data', sorts: VERSION_SORT_FIELDS, rows: 4 },
  { path: `/api/documents/${id}/similar`, name: 'data', sorts: SIMILAR_SORT_FIELDS, rows: 3 },
  { path: `/api/documents/${id}/facts`, name: 'facts', sorts: FACT_SORT_FIELDS, rows: 3 },
  { path: `/api/documents/${id}/rule-changes`, name: 'changes', sorts: RULE_CHANGE_SORT_FIELDS, rows: 3 },
  { path: `/api/documents/${id}/pages`, name: 'pages', sorts: PAGE_SORT_FIELDS, rows: 3 },
  { path: `/api/documents/${id}/versions/1/pages`, name: 'pages', sorts: PAGE_SORT_FIELDS, rows: 3 },
  { path: `/api/documents/${id}/signatures`, name: 'data', sorts: SIGNATURE_SORT_FIELDS, rows: 0 },
];

test('each is sorted by every field in both orders, and cut into pages', async (t) => {
  const { admin } = t.context;
  const read = async (client: ApiClient, path: string): Promise<Row> => {
    const { status, body } = await client.get(path);
    t.is(status, 200, `${path}: ${JSON.stringify(body)}`);
    return body;
  };
  for (const { path, name, sorts, rows } of listsOf(await fill(t.context))) {
    const whole = await read(admin, path);
    t.is((whole[name] as Row[]).length, rows, path);
    t.false('pagination' in whole, `${path} answers as it always did`);
    for (const sort of sorts) {
      const up = (await read(admin, `${path}?sort=${sort}&order=asc`))[name] as Row[];
      const down = (await read(admin, `${path}?sort=${sort}&order=desc`))[name] as Row[];
      const valuesOf = (list: readonly Row[]): unknown[] => list.map((row) => valueOf(row, sort));
      const values = valuesOf(up);
      if (sort !== 'position')
        t.true(
          values.every((value, n) => n === 0 || isInOrder(values[n - 1], value)),
          `${path} ${sort}: ${JSON.stringify(values)}`,
        );
      t.deepEqual(valuesOf(down), values.toReversed(), `${path} ${sort}`);
      const first = await read(admin, `${path}?sort=${sort}&order=asc&per_page=2`);
      const second = await read(admin, `${path}?sort=${sort}&order=asc&per_page=2&page=2`);
      t.deepEqual([...(first[name] as Row[]), ...(second[name] as Row[])], up, `${path} ${sort} by page`);
      t.like(first['pagination'], { page: 1, per_page: 2, total: rows, total_pages: Math.ceil(rows / 2), has_next: rows > 2 }, path);
    }
  }
});

test('what is no field, no order or no page is refused, and more rows than a page has are cut', async (t) => {
  const { admin } = t.context;
  for (const { path, name, rows } of listsOf(await fill(t.context))) {
    for (const query of ['sort=nothing', 'order=up', 'page=0', 'per_page=0', 'per_page=x', 'limit=3'])
      t.is((await admin.get(`${path}?${query}`)).status, 400, `${path}?${query}`);
    const { body, headers } = await admin.get(`${path}?per_page=1000`);
    t.is(headers.get('x-per-page-limit'), '100', path);
    t.like(body['pagination'], { page: 1, per_page: 100, total: rows }, path);
    t.is((body[name] as Row[]).length, rows, path);
  }
});

test('pages are cut from all pages of the document within from and to', async (t) => {
  const { admin } = t.context;
  const id = await fill(t.context);
  const numbersOf = async (query: string): Promise<unknown> => {
    const { body } = await admin.get(`/api/documents/${id}/pages?${query}`);
    return [(body['pages'] as Row[]).map(({ page }) => page), body['total'], (body['pagination'] as Row | undefined)?.['total']];
  };
  t.deepEqual(await numbersOf('from=2'), [[2, 3], 3, undefined]);
  t.deepEqual(await numbersOf('from=2&order=desc&per_page=1'), [[3], 3, 2]);
  t.deepEqual(await numbersOf('from=1&to=5000&per_page=2'), [[1, 2], 3, 3]);
  t.is((await admin.get(`/api/documents/${id}/pages?from=1&to=5000`)).status, 400);
});
