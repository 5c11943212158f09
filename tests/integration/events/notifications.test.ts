import { createNotification, deleteReadNotificationsBefore, type NewNotification } from '@sheaf/events/notifications';
import anyTest, { type TestFn } from 'ava';
import { TOLD_HERE } from '../../support/notification-policies.ts';
import { type RunningApi, startApi } from '../../support/running-api.ts';

const test = anyTest as TestFn<RunningApi & { tell: (fields?: Partial<NewNotification>) => Promise<void>; adminId: string }>;

test.beforeEach(async (t) => {
  const api = await startApi();
  const adminId = ((await api.admin.get('/api/auth/me')).body as unknown as { id: string }).id;
  const tell = (fields: Partial<NewNotification> = {}): Promise<void> =>
    api.database.db.transaction((tx) =>
      createNotification(tx, TOLD_HERE, { userId: adminId, type: 'sync_failed', title: 'Title', message: 'Message', ...fields }),
    );
  t.context = { ...api, tell, adminId };
});
test.afterEach.always((t) => t.context.stop());

interface Body {
  readonly notifications: { id: string; type: string; title: string; message: string; read: boolean; data: Record<string, unknown> }[];
  readonly unread_count: number;
  readonly pagination: { total: number; per_page: number };
}

const listOf = async ({ admin }: RunningApi, query = ''): Promise<Body> =>
  (await admin.get(`/api/notifications${query}`)).body as unknown as Body;
const titlesOf = ({ notifications }: Body): string[] => notifications.map(({ title }) => title);

test('notifications are listed the newest first, by pages, with the number of unread ones', async (t) => {
  const { tell } = t.context;
  for (const title of ['one', 'two', 'three']) await tell({ title });
  const page = await listOf(t.context, '?per_page=2');
  t.deepEqual(titlesOf(page), ['three', 'two']);
  t.is(page.unread_count, 3);
  t.like(page.pagination, { total: 3, per_page: 2 });
  t.deepEqual(titlesOf(await listOf(t.context, '?per_page=2&page=2')), ['one']);
});

for (const verb of ['PUT', 'POST'] as const) {
  test(`${verb} marks one as read, or all of them`, async (t) => {
    const { tell, admin } = t.context;
    for (const title of ['one', 'two', 'three']) await tell({ title });
    const [newest] = (await listOf(t.context)).notifications;
    const answer = await admin.send(verb, `/api/notifications/${newest?.id}/read`, {});
    t.is(answer.status, 200);
    t.like(answer.body, { id: newest?.id, read: true });
    const unread = await listOf(t.context, '?unread_only=true');
    t.deepEqual(titlesOf(unread), ['two', 'one']);
    t.is(unread.unread_count, 2);
    t.deepEqual((await admin.send(verb, '/api/notifications/read-all', {})).body, { read: 2 });
    t.deepEqual((await admin.send(verb, '/api/notifications/read-all', {})).body, { read: 0 });
    t.is((await listOf(t.context)).unread_count, 0);
    t.is((await listOf(t.context)).notifications.length, 3);
  });
}

test('reading twice keeps the time of the first', async (t) => {
  const { tell, admin, database } = t.context;
  await tell();
  const [{ id } = { id: '' }] = (await listOf(t.context)).notifications;
  const readAt = async (): Promise<unknown> => (await database.pool.query('select read_at from notifications')).rows[0];
  await admin.send('PUT', `/api/notifications/${id}/read`, {});
  const before = await readAt();
  await admin.send('PUT', `/api/notifications/${id}/read`, {});
  t.deepEqual(await readAt(), before);
});

test('a deleted one is gone, and a strange or wrong id is not found', async (t) => {
  const { tell, admin } = t.context;
  await tell();
  const [{ id } = { id: '' }] = (await listOf(t.context)).notifications;
  await admin.send('PUT', `/api/notifications/${id}/read`, {});
  t.is((await admin.delete(`/api/notifications/${id}`)).status, 204);
  const events = `select type, data->>'id' as id from events where type like 'notification\\_%' and data->>'id' = $1 order by events.id`;
  t.deepEqual((await t.context.database.pool.query<{ type: string }>(events, [id])).rows, [
    { type: 'notification_updated', id },
    { type: 'notification_deleted', id },
  ]);
  for (const gone of [id, 'nothing'])
    for (const answer of [await admin.delete(`/api/notifications/${gone}`), await admin.send('PUT', `/api/notifications/${gone}/read`, {})])
      t.is(answer.status, 404);
});

test('nobody sees, reads or deletes those of others, an administrator neither', async (t) => {
  const { tell, admin, anyone } = t.context;
  await admin.post('/api/users', { username: 'anna', email: 'anna@example.org', role: 'viewer', password: 'correct horse battery' });
  const anna = await anyone.login('anna');
  const annaId = ((await anna.get('/api/auth/me')).body as unknown as { id: string }).id;
  await tell({ userId: annaId, title: 'for anna' });
  const own = (await anna.get('/api/notifications')).body as unknown as Body;
  t.deepEqual(titlesOf(own), ['for anna']);
  t.deepEqual(titlesOf(await listOf(t.context)), []);
  const [{ id } = { id: '' }] = own.notifications;
  t.is((await admin.send('PUT', `/api/notifications/${id}/read`, {})).status, 404);
  t.is((await admin.delete(`/api/notifications/${id}`)).status, 404);
  t.deepEqual((await admin.send('PUT', '/api/notifications/read-all', {})).body, { read: 0 });
  t.is(((await anna.get('/api/notifications')).body as unknown as Body).unread_count, 1);
});

test('unknown names in the query are refused', async (t) => {
  t.is((await t.context.admin.get('/api/notifications?unread=true')).status, 400);
  t.is((await t.context.admin.get('/api/notifications?unread_only=perhaps')).status, 400);
});

test('who wants no notifications gets none but those of security', async (t) => {
  const { tell, admin } = t.context;
  t.is((await admin.send('PUT', '/api/settings', { notifications_enabled: false })).status, 200);
  await tell();
  await tell({ type: 'security', title: 'Your password was changed' });
  t.deepEqual(titlesOf(await listOf(t.context)), ['Your password was changed']);
});

test('many of a kind in a short time are one in the list while it is unread, and each is an event', async (t) => {
  const { tell, admin, database } = t.context;
  const read = (n: number): Promise<void> =>
    tell({
      type: 'ocr_completed',
      title: 'Document processed',
      message: `m${n}`,
      data: { document_id: `d${n}` },
      folded: (count) => `${count} documents processed`,
    });
  for (let n = 1; n <= 120; n += 1) await read(n);
  await tell({ type: 'ocr_failed', title: 'other' });
  const [other, folded] = (await listOf(t.context)).notifications;
  t.is(other?.title, 'other');
  t.is(folded?.title, '120 documents processed');
  t.like(folded, { message: 'Most recent: m120', data: { count: 120, document_id: 'd120' } });
  const ids = folded?.data['document_ids'] as string[];
  t.deepEqual([ids.length, ids[0], ids.at(-1)], [100, 'd21', 'd120']);
  const told = await database.pool.query<{ document_id: string }>(
    `select data->>'document_id' as document_id from events where type = 'notification' and data->>'type' = 'ocr_completed' order by id`,
  );
  t.deepEqual(
    told.rows,
    Array.from({ length: 120 }, (_, n) => ({ document_id: `d${n + 1}` })),
  );
  const changed = await database.pool.query<{ data: object }>(`select data from events where type = 'notification_updated' order by id`);
  t.is(changed.rows.length, 119);
  t.like(changed.rows.at(-1)?.data, { id: folded?.id, read: false, title: '120 documents processed', count: 120 });

  await admin.send('PUT', '/api/notifications/read-all', {});
  await admin.send('PUT', '/api/notifications/read-all', {});
  const isRead = await database.pool.query(`select data from events where type = 'notification_updated' and data->>'read' = 'true'`);
  t.deepEqual(isRead.rows, [{ data: { id: null, read: true } }]);
  await read(121);
  t.deepEqual(titlesOf(await listOf(t.context, '?unread_only=true')), ['Document processed'], 'a new one after reading');
  await database.pool.query(`update notifications set created_at = created_at - interval '6 minutes'`);
  await read(122);
  t.is((await listOf(t.context, '?unread_only=true')).notifications.length, 2, 'a new one after five minutes');
});

test('read ones are forgotten when they are old, unread ones are not', async (t) => {
  const { tell, admin, database } = t.context;
  await tell({ title: 'read' });
  await admin.send('PUT', '/api/notifications/read-all', {});
  await tell({ title: 'unread' });
  t.is(await deleteReadNotificationsBefore(database.db, new Date(Date.now() - 60_000)), 0);
  t.is(await deleteReadNotificationsBefore(database.db, new Date(Date.now() + 60_000)), 1);
  t.deepEqual(titlesOf(await listOf(t.context)), ['unread']);
});

test('each document of a pile is a webhook with an id of its own, that of the stored notification beside it', async (t) => {
  const { adminId, database } = t.context;
  const policy = { enabled: true, emailTypes: new Set<never>(), webhook: true };
  for (const title of ['one', 'two', 'three'])
    await database.db.transaction((tx) =>
      createNotification(tx, policy, {
        userId: adminId,
        type: 'ocr_completed',
        title,
        message: title,
        data: { document_id: crypto.randomUUID() },
        folded: (count) => `${count} documents`,
      }),
    );
  const [stored] = (await listOf(t.context)).notifications;
  const { rows } = await database.pool.query<{ id: string; notification_id: string; title: string }>(
    `select payload -> 'data' ->> 'id' as id, payload -> 'data' ->> 'notification_id' as notification_id, payload -> 'data' ->> 'title' as title
     from deliveries order by id`,
  );
  t.deepEqual(
    rows.map(({ title, notification_id: id }) => [title, id]),
    ['one', 'two', 'three'].map((title) => [title, stored?.id]),
  );
  t.is(new Set(rows.map(({ id }) => id)).size, 3);
});
