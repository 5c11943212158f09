// Every list of the interface by every scalar field of its records, in both orders, by page and by cursor.

import { describeRoutes, type Route } from '@sheaf/api/testing';
import { loadConfig } from '@sheaf/config';
import { uuidv7 } from '@sheaf/process';
import type { ApiClient } from '@sheaf/testkit';
import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import { inTurn, oneIn } from '../../support/full-run.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const ENVIRONMENT = { FEATURE_API_V2: 'true', SESSION_MAX_CONCURRENT: '0' };
const test = testWithApi(ENVIRONMENT);
const { config } = loadConfig({ environment: ENVIRONMENT });

type Body = Record<string, unknown>;

/** What is made for an answer after its rows were chosen: nothing can sort by it before. */
const MADE_FOR_THE_ANSWER: Readonly<Record<string, readonly string[]>> = {
  '/api/ocr/queue': ['estimated_start'],
  '/api/saved-searches': ['count', 'count_is_lower_bound'],
};

/** Fields whose order is not that of their values: of urgency, and of the queue. */
const OF_THEIR_OWN: Readonly<Record<string, readonly string[]>> = { '/api/ocr/queue': ['position', 'priority'] };

/** A search is no list: its hits have an order of their own. */
const NO_LISTS: ReadonlySet<string> = new Set(['/api/search']);

const SCALARS: ReadonlySet<string> = new Set(['string', 'number', 'int', 'boolean', 'enum', 'literal', 'template_literal']);
const WRAPPERS: ReadonlySet<string> = new Set(['nullable', 'optional', 'default', 'readonly']);

interface Def {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly entries?: Readonly<Record<string, string>>;
}

const defOf = (schema: z.ZodType): Def => {
  const def = schema._zod.def as unknown as Def;
  return WRAPPERS.has(def.type) && def.innerType !== undefined ? defOf(def.innerType) : def;
};
const isScalar = (schema: z.ZodType): boolean => {
  const { type, options } = defOf(schema);
  return SCALARS.has(type) || (type === 'union' && (options ?? []).every(isScalar));
};
const shapeOf = (schema: z.ZodType | undefined): Readonly<Record<string, z.ZodType>> => (schema instanceof z.ZodObject ? schema.shape : {});

interface List {
  readonly path: string;
  readonly name: string;
  readonly fields: readonly string[];
  readonly sorts: readonly string[];
}

const listOf = (route: Route): List[] => {
  if (route.kind !== 'json' || route.method !== 'get' || route.version === 'v2' || NO_LISTS.has(route.path)) return [];
  const answer = shapeOf(route.response);
  const query = shapeOf(route.query);
  if (answer['pagination'] === undefined) return [];
  return Object.entries(answer).flatMap(([name, schema]) => {
    const { type, element } = defOf(schema);
    if (type !== 'array' || !(element instanceof z.ZodObject)) return [];
    const fields = Object.entries(shapeOf(element)).flatMap(([field, of]) => (isScalar(of) ? [field] : []));
    const { entries = {} } = query['sort'] === undefined ? {} : defOf(query['sort']);
    return [{ path: route.path, name, fields, sorts: Object.values(entries) }];
  });
};

const everyList = describeRoutes(config).flatMap(listOf);
/** Those inside a resource have a test of their own. */
const lists = everyList.filter(({ path }) => !path.includes('{'));

test('every list takes page, per_page, sort and order, and sorts by every scalar field of its records', (t) => {
  t.true(lists.length >= 20);
  t.true(everyList.length >= lists.length + 8);
  for (const route of describeRoutes(config).filter((each) => listOf(each).length > 0))
    for (const name of ['page', 'per_page', 'sort', 'order']) t.true(Object.hasOwn(shapeOf(route.query), name), `${route.path} ${name}`);
  for (const { path, fields, sorts } of everyList)
    t.deepEqual(
      fields.filter((field) => !sorts.includes(field) && MADE_FOR_THE_ANSWER[path]?.includes(field) !== true),
      [],
      path,
    );
});

const idOf = ({ status, body }: { readonly status: number; readonly body: Body }): string => {
  if (status !== 201) throw new Error(`nothing was made: ${JSON.stringify(body)}`);
  return String(body['id']);
};

const makeRows = async ({ admin, anyone, database: { pool } }: RunningApi): Promise<void> => {
  const texts = ['Alpha', 'beta', 'Gamma', 'delta'];
  for (const [n, name] of texts.entries()) {
    const document = idOf(await admin.upload({ name: `${name}.txt`, bytes: new TextEncoder().encode(`the words of ${name}`) }));
    const label = idOf(await admin.post('/api/labels', { name, color: `#00000${n}`, ...(n === 1 ? { description: 'described' } : {}) }));
    if (n % 2 === 0) await admin.post(`/api/labels/${label}/assign`, { document_ids: [document] });
    idOf(await admin.post('/api/correspondents', { name }));
    const type = idOf(await admin.post('/api/document-types', { name }));
    idOf(await admin.post('/api/fields', { name, type: n === 0 ? 'text' : 'amount', ...(n === 1 ? { document_type_id: type } : {}) }));
    const search = idOf(await admin.post('/api/saved-searches', { name, query: `q${n}`, is_pinned: n > 1, notify: n === 0 }));
    idOf(await admin.post('/api/rules', { name, query: name, actions: [{ add_label: label }], is_enabled: n !== 1 }));
    await admin.post('/api/users/import', n === 0 ? [] : [{ username: name }]);
    idOf(await admin.post('/api/keys', { name, scope: ['documents.read'] }));
    idOf(
      await admin.post('/api/users', {
        username: name,
        email: `${name}@example.org`,
        role: n === 0 ? 'editor' : 'viewer',
        password: 'correct horse battery',
        display_name: n > 1 ? `Z${n}` : null,
      }),
    );
    const expires = new Date(Date.now() + (n + 1) * 86_400_000).toISOString();
    idOf(
      await admin.post(`/api/documents/${document}/shares`, { expires_at: expires, ...(n === 0 ? { password: 'a long password' } : {}) }),
    );
    idOf(await admin.post(`/api/saved-searches/${search}/shares`, { expires_at: expires }));
    const settings = { bucket: `papers-${n}`, endpoint_url: 'https://s3.example.org' };
    await admin.post(
      '/api/sources',
      n % 2 === 0
        ? { name, type: 's3', settings, username: 'AKIA', password: 'secret', enabled: false }
        : { name, type: 'webdav', url: `https://dav.example.org/${n}`, sync_interval: 60 * n, enabled: n !== 1 },
    );
    const trashed = idOf(await admin.upload({ name: `old ${name}.txt`, bytes: new TextEncoder().encode(`old words of ${name}`) }));
    await admin.delete(`/api/documents/${trashed}`);
    await anyone.login('admin');
    await pool.query(
      `insert into notifications (id, user_id, type, title, message, read_at) select $1, id, 'alert', $2, $3, $4 from users where username = 'admin'`,
      [uuidv7(), name, `m${n}`, n === 0 ? new Date() : null],
    );
    await pool.query(
      `insert into deliveries (id, notification_id, channel, recipient, payload, state, last_status)
       select $1, notifications.id, $2, $3, jsonb_build_object('type', 'alert', 'timestamp', '', 'data', jsonb_build_object('id', notifications.id, 'user_id', user_id, 'title', '', 'message', '')), $4, $5
       from notifications where title = $6 limit 1`,
      [
        uuidv7(),
        n === 0 ? 'webhook' : 'email',
        n === 0 ? null : `${name}@example.org`,
        n === 1 ? 'failed' : 'pending',
        n === 1 ? 500 : null,
        name,
      ],
    );
    await pool.query(`insert into imports (id, kind, source, state, path, finished_at) values ($1, 'folder', $2, $3, $4, $5)`, [
      uuidv7(),
      name,
      n === 0 ? 'failed' : 'completed',
      n === 1 ? null : `/srv/${name}`,
      n === 2 ? null : new Date(),
    ]);
    await pool.query(
      `update documents set page_count = $2, language = $3, missing_language = $3, imported_from = $4, notes_count = $5, is_signed = $6, source_removed_at = $7 where id = $1`,
      [
        document,
        n === 0 ? null : n,
        n === 1 ? null : `l${n}`,
        n === 2 ? null : `paperless:${n}`,
        5 - n,
        n === 3,
        n === 3 ? new Date() : null,
      ],
    );
  }
};

const isInOrder = (a: unknown, b: unknown): boolean => {
  if (a === b || a === null || a === undefined) return true;
  if (b === null || b === undefined) return false;
  if (typeof a !== 'string' || typeof b !== 'string') return Number(a) <= Number(b);
  // as the letters stand, or as people sort: which of them is for the list to say
  return a <= b || a.toLowerCase() <= b.toLowerCase() || a.localeCompare(b, 'en') <= 0;
};

/** The rows of a list page by page, or cut by cut. */
const rowsOf = async (admin: ApiClient, { path, name }: List, query: string): Promise<Body[]> => {
  const { status, body } = await admin.get(`${path}?${query}&per_page=100`);
  if (status !== 200) throw new Error(`${path}?${query}: ${status} ${JSON.stringify(body)}`);
  return body[name] as Body[];
};

const cutsOf = async (admin: ApiClient, { path }: List, query: string): Promise<Body[]> => {
  const rows: Body[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const { status, body } = await admin.get(`/api/v2${path.slice('/api'.length)}?${query}&limit=3&cursor=${encodeURIComponent(cursor)}`);
    if (status !== 200) throw new Error(`${path}?${query}: ${status} ${JSON.stringify(body)}`);
    rows.push(...(body['data'] as Body[]));
    cursor = body['next_cursor'] as string | null;
  }
  return rows;
};

const keyOf = (row: Body): string => String(row['id'] ?? row['name'] ?? row['host']);

const check = async (t: ExecutionContext<RunningApi>, list: List, sort: string, turn: number): Promise<void> => {
  const { admin } = t.context;
  const what = `${list.path} by ${sort}`;
  const up = await rowsOf(admin, list, `sort=${sort}&order=asc`);
  const down = await rowsOf(admin, list, `sort=${sort}&order=desc`);
  const isOfItsOwn = OF_THEIR_OWN[list.path]?.includes(sort) === true || !list.fields.includes(sort);
  for (const [n, row] of isOfItsOwn ? [] : up.entries())
    if (n > 0) t.true(isInOrder(up[n - 1]?.[sort], row[sort]), `${what}: ${JSON.stringify(up.map((each) => each[sort]))}`);
  const values = (rows: readonly Body[]): unknown[] => rows.map((row) => row[sort]);
  if (!isOfItsOwn) t.deepEqual(values(down), values(up.toReversed()), what);
  if (list.path === '/api/roles') return; // no list with cursors
  if (inTurn(turn, 3, [0, 1, 2])[0] !== 0) return;
  const cuts = await cutsOf(admin, list, `sort=${sort}&order=asc`);
  t.deepEqual(values(cuts), values(up), `${what} by cursor`);
  t.deepEqual(cuts.map(keyOf).toSorted(), up.map(keyOf).toSorted(), `${what} by cursor`);
};

test.serial('lists are sorted by each of these fields in both orders, by page and by cursor', async (t) => {
  await makeRows(t.context);
  let turn = 0;
  for (const list of lists) {
    const rows = await rowsOf(t.context.admin, list, 'page=1');
    if (!['/api/hosts', '/api/backups'].includes(list.path)) t.true(rows.length > 2, `${list.path} has rows`);
    for (const sort of oneIn(3, list.sorts)) await check(t, list, sort, (turn += 1));
  }
});
