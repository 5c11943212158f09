import { claimDeliveries, createNotification, markDelivered, markUndelivered } from '@sheaf/events/notifications';
import { ApiClient, givenUser } from '@sheaf/testkit';
import { startApiWithPermissions } from '../../support/api-with-permissions.ts';
import { type RunningApi, startApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi();

const POLICY = { enabled: true, emailTypes: new Set(['security'] as const), webhook: true };
const LEASE = { limit: 1, leaseMs: 60_000, maxAttempts: 5 };

const tell = async ({ database }: RunningApi): Promise<string> => {
  const { id } = await givenUser(database.db);
  await createNotification(database.db, POLICY, { userId: id, type: 'security', title: 'A secret title', message: 'A secret message' });
  return id;
};

interface Listed {
  readonly id: string;
  readonly user_id: string;
  readonly state: string;
  readonly channel: string;
}

const deliveriesOf = async ({ admin }: RunningApi, userId: string, query = ''): Promise<Listed[]> =>
  ((await admin.get(`/api/deliveries?per_page=100${query}`)).body['data'] as Listed[]).filter(({ user_id }) => user_id === userId);

/** The delivery of this channel, with the others of it out of the way. */
const claim = async ({ database }: RunningApi, id: string | undefined, channel: 'email' | 'webhook') => {
  await database.pool.query(
    `update deliveries set due_at = (case when id = $1 then '2020-01-01' else '2999-01-01' end)::timestamptz where state = 'pending'`,
    [id],
  );
  const [claimed] = await claimDeliveries(database.db, { ...LEASE, channel });
  if (claimed?.id !== id || claimed === undefined) throw new Error('another one was claimed');
  return claimed;
};

test.serial('an administrator sees each delivery, to whom it goes and how it went, but not what it says', async (t) => {
  const userId = await tell(t.context);
  const [email] = await deliveriesOf(t.context, userId, '&channel=email');
  const [webhook] = await deliveriesOf(t.context, userId, '&channel=webhook');
  t.like(webhook, { channel: 'webhook', type: 'security', recipient: null, state: 'pending', attempts: 0, max_attempts: 5 });
  t.regex(String((email as { recipient?: string } | undefined)?.recipient), /@example\.org$/);
  const claimed = await claim(t.context, email?.id, 'email');
  await markUndelivered(t.context.database.db, claimed, { status: 451, error: 'busy', retryAfterMs: 60_000 });
  const [waiting] = await deliveriesOf(t.context, userId, '&channel=email&state=pending');
  t.like(waiting, { id: email?.id, attempts: 1, last_status: 451, last_error: 'busy', delivered_at: null });
  t.true(Date.parse(String((waiting as { next_attempt_at?: string } | undefined)?.next_attempt_at)) > Date.now());
  t.deepEqual(await deliveriesOf(t.context, userId, '&channel=email&state=failed'), []);
  t.false(JSON.stringify((await t.context.admin.get('/api/deliveries?per_page=100')).body).includes('secret'));
});

test.serial('the newest stand first, page by page, and unknown filters are refused', async (t) => {
  const { admin } = t.context;
  const userId = await tell(t.context);
  const { body } = await admin.get('/api/deliveries?per_page=2');
  t.deepEqual(
    (body['data'] as Listed[]).map(({ user_id }) => user_id),
    [userId, userId],
  );
  t.like(body['pagination'], { page: 1, per_page: 2, has_prev: false });
  t.is((await admin.get('/api/deliveries?state=lost')).status, 400);
  t.is((await admin.get('/api/deliveries?channel=pigeon')).status, 400);
});

test.serial('one that failed is sent again with all its attempts before it, and the log of changes says who wanted it', async (t) => {
  const { admin, database } = t.context;
  const userId = await tell(t.context);
  const [{ id } = { id: '' }] = await deliveriesOf(t.context, userId, '&channel=webhook');
  const claimed = await claim(t.context, id, 'webhook');
  const sending = await admin.post(`/api/deliveries/${id}/retry`, {});
  t.like(sending, { status: 409 });
  t.like(sending.body['error'], { code: 'DUPLICATE_RESOURCE', details: { reason: 'delivery_not_retriable', state: 'sending' } });
  await markUndelivered(database.db, claimed, { status: 410, error: 'Gone', retryAfterMs: undefined });
  const { status, body } = await admin.post(`/api/deliveries/${id}/retry`, {});
  t.is(status, 200);
  t.like(body, { id, state: 'pending', attempts: 0 });
  const [entry] = (await admin.get('/api/audit?action=delivery.retried')).body['data'] as Record<string, unknown>[];
  t.like(entry, { outcome: 'success', subject: { type: 'delivery', id }, details: { channel: 'webhook', type: 'security' } });

  const again = await claim(t.context, id, 'webhook');
  t.is(again.attempts, 1);
  await markDelivered(database.db, again, 200);
  const delivered = await admin.post(`/api/deliveries/${id}/retry`, {});
  t.like(delivered.body['error'], { code: 'DUPLICATE_RESOURCE', details: { reason: 'delivery_not_retriable', state: 'delivered' } });
  t.is((await deliveriesOf(t.context, userId, '&state=delivered')).length, 1);
});

test.serial('one that waits for its next attempt is due at once when somebody wants it', async (t) => {
  const { admin, database } = t.context;
  const userId = await tell(t.context);
  const [{ id } = { id: '' }] = await deliveriesOf(t.context, userId, '&channel=webhook');
  await database.pool.query(`update deliveries set due_at = '2999-01-01', attempts = 4 where id = $1`, [id]);
  const { body } = await admin.post(`/api/deliveries/${id}/retry`, {});
  t.true(Date.parse(String(body['next_attempt_at'])) < Date.now() + 60_000);
});

test.serial('who may only send their own again sees those of others where they may, and may not touch them', async (t) => {
  const { admin, database } = t.context;
  await admin.register('dora-d', 'viewer');
  await using api = await startApiWithPermissions(database, { 'dora-d': ['system.read', 'settings.update.own'] });
  const dora = await new ApiClient(api.url).login('dora-d');
  const me = String((await dora.get('/api/auth/me')).body['id']);
  await createNotification(database.db, POLICY, { userId: me, type: 'sync_failed', title: 'mine', message: 'mine' });
  const [mine] = await deliveriesOf(t.context, me);
  const [theirs] = await deliveriesOf(t.context, await tell(t.context));
  t.is((await dora.post(`/api/deliveries/${theirs?.id}/retry`, {})).status, 403);
  t.is((await dora.post(`/api/deliveries/${mine?.id}/retry`, {})).status, 200);
  t.is((await dora.post(`/api/deliveries/00000000-0000-7000-8000-000000000000/retry`, {})).status, 404);
});

test.serial('metrics tell how many there are by channel and state, and how long the first has been due', async (t) => {
  const { anyone, database } = t.context;
  await tell(t.context);
  await database.pool.query(
    `update deliveries set due_at = now() - interval '100 seconds' where channel = 'webhook' and state = 'pending'`,
  );
  const text = await (await anyone.request('/metrics')).text();
  t.regex(text, /sheaf_deliveries\{channel="webhook",state="pending"[^}]*\} [1-9]/);
  t.true(Number(/sheaf_deliveries_oldest_due_seconds\{channel="webhook"[^}]*\} ([\d.]+)/.exec(text)?.[1]) >= 100);
});

test.serial('they are a part of notifications: FEATURE_NOTIFICATIONS=false takes them away', async (t) => {
  const api = await startApi({ FEATURE_NOTIFICATIONS: 'false' });
  t.teardown(() => api.stop());
  for (const answer of [await api.admin.get('/api/deliveries'), await api.admin.post('/api/deliveries/x/retry', {})]) {
    t.is(answer.status, 404);
    t.like(answer.body['error'], { code: 'NOT_FOUND', details: { reason: 'feature_disabled' } });
  }
});
