// The rows of the specification about notifications and user settings: endpoints, fields, variables and flags.
import { createNotification } from '@sheaf/events/notifications';
import test from 'ava';
import { openConfiguration } from '../support/configuration.ts';
import { TOLD_HERE } from '../support/notification-policies.ts';
import { type RunningApi, startApi } from '../support/running-api.ts';

const { load } = openConfiguration();

const DATA = { document_id: '01900000-0000-7000-8000-000000000001' };

const openTold = async (environment: Record<string, string> = {}): Promise<RunningApi & AsyncDisposable & { id: string }> => {
  const api = await startApi(environment);
  const userId = String((await api.admin.get('/api/auth/me')).body['id']);
  await api.database.db.transaction((tx) =>
    createNotification(tx, TOLD_HERE, { userId, type: 'ocr_completed', title: 'Document processed', message: 'it', data: DATA }),
  );
  const { rows } = await api.database.pool.query<{ id: string }>('select id from notifications');
  return { ...api, id: rows[0]?.id ?? '', [Symbol.asyncDispose]: () => api.stop() };
};

test('Resources, Notification: id, type, title, message, read, created_at, data', async (t) => {
  await using api = await openTold();
  const { notifications } = (await api.admin.get('/api/notifications')).body as { notifications: Record<string, unknown>[] };
  const [row = {}] = notifications;
  t.like(row, { id: api.id, type: 'ocr_completed', title: 'Document processed', message: 'it', read: false, data: DATA });
  t.false(Number.isNaN(Date.parse(String(row['created_at']))));
  t.is(Object.keys(row).length, 7);
});

test('Endpoints: GET /api/notifications with unread_only', async (t) => {
  await using api = await openTold();
  const { status, body } = await api.admin.get('/api/notifications?unread_only=true');
  t.is(status, 200);
  t.like(body, { unread_count: 1 });
  t.is((body['notifications'] as unknown[]).length, 1);
});

test('Endpoints: PUT /api/notifications/{id}/read', async (t) => {
  await using api = await openTold();
  t.like((await api.admin.send('PUT', `/api/notifications/${api.id}/read`, {})).body, { id: api.id, read: true });
  t.deepEqual((await api.admin.get('/api/notifications?unread_only=true')).body['notifications'], []);
});

test('Endpoints: PUT /api/notifications/read-all', async (t) => {
  await using api = await openTold();
  t.is((await api.admin.send('PUT', '/api/notifications/read-all', {})).status, 200);
  t.is((await api.admin.get('/api/notifications')).body['unread_count'], 0);
});

test('Endpoints: DELETE /api/notifications/{id}', async (t) => {
  await using api = await openTold();
  t.is((await api.admin.delete(`/api/notifications/${api.id}`)).status, 204);
  t.deepEqual((await api.admin.get('/api/notifications')).body['notifications'], []);
});

test('Endpoints: GET and PUT /api/settings; Resources, User settings: each field has a default, is kept and is checked', async (t) => {
  await using api = await openTold();
  const user = await api.admin.register('ann', 'viewer');
  t.deepEqual((await user.get('/api/settings')).body, {
    theme: 'auto',
    language: 'auto',
    notifications_enabled: true,
    ocr_default_language: 'eng',
    items_per_page: 20,
  });
  const wanted = { theme: 'dark', language: 'de-AT', notifications_enabled: false, ocr_default_language: 'deu', items_per_page: 50 };
  for (const [name, value] of Object.entries(wanted))
    t.like((await user.send('PUT', '/api/settings', { [name]: value })).body, { [name]: value });
  t.deepEqual((await user.get('/api/settings')).body, wanted);
  const wrong = {
    theme: 'pink',
    language: 'English!',
    notifications_enabled: 'yes',
    ocr_default_language: '../eng',
    items_per_page: 0,
    unknown: 1,
  };
  for (const [name, value] of Object.entries(wrong)) t.is((await user.send('PUT', '/api/settings', { [name]: value })).status, 400, name);
  t.deepEqual((await user.get('/api/settings')).body, wanted);
});

test('Notifications: NOTIFICATIONS_ENABLED', async (t) => {
  t.true(load().notifications.policy.enabled);
  t.false(load({ NOTIFICATIONS_ENABLED: 'false' }).notifications.policy.enabled);
  await using api = await openTold({ NOTIFICATIONS_ENABLED: 'false' });
  await api.admin.post('/api/keys', { name: 'k', scope: ['documents.read'] });
  t.is((await api.database.pool.query('select from notifications')).rowCount, 1, 'only the one that was there');
});

test('Feature flags: FEATURE_NOTIFICATIONS', async (t) => {
  t.true(load().features.notifications);
  await using api = await openTold({ FEATURE_NOTIFICATIONS: 'false' });
  for (const path of ['/api/notifications', '/api/deliveries']) {
    const { status, body } = await api.admin.get(path);
    t.is(status, 404);
    t.like(body, { error: { code: 'NOT_FOUND', details: { reason: 'feature_disabled' } } });
  }
  t.false(load({ FEATURE_NOTIFICATIONS: 'false' }).notifications.policy.enabled);
});
