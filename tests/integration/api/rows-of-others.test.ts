import { describeRoutes } from '@sheaf/api/testing';
import { loadConfig } from '@sheaf/config';
import type { Db } from '@sheaf/db';
import { documentFacts } from '@sheaf/db/schema';
import { createNotification } from '@sheaf/events/notifications';
import { uuidv7 } from '@sheaf/process';
import { ApiClient } from '@sheaf/testkit';
import { ACTIONS } from '@sheaf/vocabulary/permissions';
import { startApiWithPermissions } from '../../support/api-with-permissions.ts';
import { nameOf } from '../../support/callers.ts';
import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi();

/** A fact that whoever may change its document can choose. */
const givenFact = async (db: Db, documentId: string): Promise<string> => {
  const id = uuidv7();
  await db
    .insert(documentFacts)
    .values({ id, documentId, kind: 'document_date', value: '2026-01-02', confidence: 1, rule: 'date.label', rank: 0 });
  return id;
};
const { config } = loadConfig({ environment: {} });

/** A body that is good, where one is needed. */
const BODIES: Readonly<Record<string, unknown>> = {
  'put /api/documents/{id}': { title: 'mine now' },
  'patch /api/documents/{id}': { title: 'mine now' },
  'post /api/documents/{id}/notes': { text: 'mine now' },
  'post /api/documents/{id}/versions': { document_id: '00000000-0000-7000-8000-000000000000' },
  'post /api/documents/{id}/pages/edit': { operations: [{ op: 'rotate', pages: [1], by: 90 }] },
  'put /api/saved-searches/{id}': { name: 'mine now' },
  'patch /api/saved-searches/{id}': { is_pinned: true },
  'post /api/documents/{id}/shares': {},
  'post /api/saved-searches/{id}/shares': {},
  'put /api/rules/{id}': { name: 'mine now' },
  'patch /api/rules/{id}': { name: 'mine now' },
  'put /api/labels/{id}': { name: 'mine now' },
  'patch /api/labels/{id}': { name: 'mine now' },
  'put /api/correspondents/{id}': { name: 'mine now' },
  'patch /api/correspondents/{id}': { name: 'mine now' },
  'put /api/document-types/{id}': { name: 'mine now' },
  'patch /api/document-types/{id}': { name: 'mine now' },
  'post /api/correspondents/{id}/merge': { into: '00000000-0000-7000-8000-000000000000' },
  'post /api/document-types/{id}/merge': { into: '00000000-0000-7000-8000-000000000000' },
  'put /api/fields/{id}': { name: 'mine now' },
  'patch /api/fields/{id}': { name: 'mine now' },
  'post /api/fields/{id}/merge': { into: '00000000-0000-7000-8000-000000000000' },
  'put /api/sources/{id}': { name: 'mine now', enabled: false },
  'patch /api/sources/{id}': { name: 'mine now', enabled: false },
  'put /api/ocr/queue/{id}/priority': { priority: 'urgent' },
  'put /api/users/{user_id}': { display_name: 'mine now' },
  'patch /api/users/{user_id}': { display_name: 'mine now' },
  'put /api/users/{user_id}/password': { new_password: 'correct horse battery' },
  'post /api/users/{user_id}/watch-directory': { ensure_created: true },
  'delete /api/auth/mfa/{id}': { password: 'correct horse battery' },
};

/**
 * The specification names 403 for watch directories, whether or not there is such a user. Imports are for administrators alone. Fields are the instance's: everybody reads them, and to
 * change one's own gives none of them.
 */
const statusOf = (name: string, path: string): number => {
  if (name === 'get /api/fields/{id}') return 200;
  return path.endsWith('/watch-directory') || ['/api/fields/', '/api/imports/'].some((start) => path.startsWith(start)) ? 403 : 404;
};

test('to who may do everything, but only with their own, rows of others do not exist, at any route', async (t) => {
  const { admin, anyone, database } = t.context;
  await admin.register('cyd-o', 'viewer');
  const { body: document } = await admin.upload({
    name: 'of-admin.txt',
    bytes: new TextEncoder().encode('the words of the administrator'),
  });
  await database.pool.query(`insert into document_einvoices (document_id, error) values ($1, 'truncated')`, [document['id']]);
  const { body: note } = await admin.post(`/api/documents/${String(document['id'])}/notes`, { text: 'of-admin' });
  const fact = await givenFact(database.db, String(document['id']));
  const { body: ticket } = await admin.post('/api/documents/bulk-download/tickets', { ids: [document['id']] });
  const { body: label } = await admin.post('/api/labels', { name: 'of-admin', color: '#123456' });
  const { body: correspondent } = await admin.post('/api/correspondents', { name: 'of-admin' });
  const { body: documentType } = await admin.post('/api/document-types', { name: 'of-admin' });
  const { body: field } = await admin.post('/api/fields', { name: 'of-admin', type: 'text' });
  const { body: rule } = await admin.post('/api/rules', { name: 'of-admin', query: 'words', actions: [{ add_label: label['id'] }] });
  const { body: source } = await admin.post('/api/sources', { name: 'of-admin', type: 'webdav', url: 'https://dav.example.org/' });
  const { body: search } = await admin.post('/api/saved-searches', { name: 'of-admin', is_shared: true });
  const { body: share } = await admin.post(`/api/documents/${String(document['id'])}/shares`, {});
  const { body: trashed } = await admin.upload({
    name: 'of-admin-trashed.txt',
    bytes: new TextEncoder().encode('what the administrator deleted'),
  });
  t.is((await admin.delete(`/api/documents/${String(trashed['id'])}`)).status, 204);
  const { body: key } = await admin.post('/api/keys', { name: 'of-admin', scope: ['documents.read'] });
  const { body: me } = await admin.get('/api/auth/me');
  const invited = [{ username: 'of-admin', email: 'of-admin@example.org', role: 'viewer' }];
  const { body: userImport } = await admin.post('/api/users/import', invited);
  const queue = (await admin.get('/api/ocr/queue')).body['data'] as { id: string }[];
  const sessions = await database.pool.query<{ id: string }>('select id from sessions where user_id = $1', [me['id']]);
  await createNotification(
    database.db,
    { enabled: true, emailTypes: new Set(), webhook: true },
    { userId: String(me['id']), type: 'security', title: 'of-admin', message: 'of-admin' },
  );
  const deliveries = (await admin.get('/api/deliveries')).body['data'] as { id: string }[];
  const notifications = (await admin.get('/api/notifications')).body['notifications'] as { id: string }[];
  const ids: readonly (readonly [path: string, id: string | undefined])[] = [
    ['/api/documents/bulk-download/{ticket}', String(ticket['ticket'])],
    ['/api/documents/{id}', String(document['id'])],
    ['/api/labels/{id}', String(label['id'])],
    ['/api/correspondents/{id}', String(correspondent['id'])],
    ['/api/document-types/{id}', String(documentType['id'])],
    ['/api/fields/{id}', String(field['id'])],
    ['/api/rules/{id}', String(rule['id'])],
    ['/api/sources/{id}', String(source['id'])],
    ['/api/health/sources/{source_id}', String(source['id'])],
    ['/api/ocr/queue/{id}', queue[0]?.id],
    ['/api/saved-searches/{id}', String(search['id'])],
    ['/api/shares/{id}', String(share['id'])],
    ['/api/trash/{id}', String(trashed['id'])],
    ['/s/{token}', 'a'.repeat(43)], // whoever has the token of a link needs no right
    ['/api/keys/{id}', String(key['id'])],
    ['/api/deliveries/{id}', deliveries[0]?.id],
    ['/api/notifications/{id}', notifications[0]?.id],
    ['/api/imports/{id}', uuidv7()],
    ['/api/backups/{name}', 'sheaf-20261121T093200Z-1a2b3c'],
    ['/api/users/imports/{id}', String(userImport['id'])],
    ['/api/users/{user_id}', String(me['id'])],
    ['/api/users/{email}', String(me['email'])],
    ['/api/auth/sessions/{id}', sessions.rows[0]?.id],
    ['/api/auth/mfa/{id}', '00000000-0000-7000-8000-000000000000'],
  ];
  const everyRow = async () => {
    const tables = [
      'documents',
      'labels',
      'trashed_documents',
      'trashed_references',
      'correspondents',
      'document_types',
      'rules',
      'rule_changes',
      'sources',
      'sync_runs',
      'document_labels',
      'document_einvoices',
      'document_notes',
      'document_versions',
      'custom_fields',
      'document_fields',
      'saved_searches',
      'saved_search_pins',
      'shares',
      'document_facts',
      'minhash_signatures',
      'near_duplicates',
      'correspondents',
      'ocr_jobs',
      'api_keys',
      'sessions',
      'users',
      'user_imports',
      'one_time_tokens',
      'deliveries',
      'notifications',
    ];
    const rows = await Promise.all(
      tables.map((table) => database.pool.query(`select to_jsonb(t) - 'last_seen_at' - 'last_used_at' as row from ${table} t order by 1`)),
    );
    return rows.map((result) => result.rows);
  };

  await using api = await startApiWithPermissions(database, { 'cyd-o': ACTIONS.map((action) => `${action}.own`) });
  const cyd = await new ApiClient(api.url).login('cyd-o');
  const before = await everyRow();
  for (const route of describeRoutes(config).filter(({ path }) => path.includes('{') && !path.startsWith('/api/docs/'))) {
    const [prefix, id] = ids.find(([path]) => route.path.startsWith(path)) ?? [];
    if (prefix === undefined || id === undefined) {
      t.fail(`${nameOf(route)}: say here whose row it is asked for`);
      continue;
    }
    const body = BODIES[nameOf(route)] ?? (route.path.endsWith('assign') ? { document_ids: [document['id']] } : undefined);
    const response = await cyd.request(
      route.path
        .replace(/\{\w+\}/, encodeURIComponent(id))
        .replace('{note_id}', String(note['id']))
        .replace('{number}', '1')
        .replace('{version}', '1')
        .replace('{other}', '1')
        .replace('{other_id}', '00000000-0000-7000-8000-000000000000')
        .replace('{fact_id}', fact),
      {
        method: route.method.toUpperCase(),
        ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      },
    );
    t.is(response.status, statusOf(nameOf(route), route.path), `${nameOf(route)}: ${await response.text()}`);
  }
  t.deepEqual(await everyRow(), before, 'and nothing of them has changed');
  t.is((await anyone.get('/health')).status, 200);
});
