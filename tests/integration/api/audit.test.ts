import { recordAudit, recordAuditEntries } from '@sheaf/accounts/users';
import { givenUser } from '@sheaf/testkit';
import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi();

const account = (username: string) => ({ username, email: `${username}@example.org`, password: 'correct horse battery', role: 'viewer' });
const entriesOf = (body: Record<string, unknown>) => body['data'] as Record<string, unknown>[];
const actionsOf = (body: Record<string, unknown>): unknown[] => entriesOf(body).map((entry) => entry['action']);

// alone, as its page holds a hundred entries and the other tests write more
test.serial('each change of a user is in the log with who, from where and what, and without secrets', async (t) => {
  const { admin, anyone } = t.context;
  const me = (await admin.get('/api/auth/me')).body;
  const id = String((await admin.post('/api/users', account('audited'))).body['id']);
  await admin.send('PUT', `/api/users/${id}`, { role: 'editor', email: 'a@example.org', disabled: true });
  await admin.send('PUT', `/api/users/${id}`, { disabled: false });
  await (await anyone.login('audited')).post('/api/users/change-password', {
    current_password: 'correct horse battery',
    new_password: 'another long password',
  });
  await admin.delete(`/api/users/${id}`);
  const { body } = await admin.get('/api/audit?per_page=100');
  const his = entriesOf(body).filter((entry) => (entry['subject'] as { id?: string } | null)?.id === id);
  const changes = his.filter((entry) => !String(entry['action']).startsWith('sign'));
  t.deepEqual(changes.map((entry) => entry['action']).toReversed(), [
    'user.created',
    'user.role_changed',
    'user.disabled',
    'user.updated',
    'user.enabled',
    'password.changed',
    'user.deleted',
  ]);
  const [deleted] = changes;
  t.like(deleted, { outcome: 'success', details: { username: 'audited' }, subject: { type: 'user', id } });
  t.deepEqual(deleted?.['actor'], { id: me['id'], username: 'admin' });
  t.regex(String(deleted?.['address']), /127\.0\.0\.1/);
  t.like(
    changes.find((entry) => entry['action'] === 'user.role_changed'),
    { details: { from: 'viewer', to: 'editor' } },
  );
  t.false(JSON.stringify(body).includes('another long password'));
  t.false(JSON.stringify(body).includes('argon2'));
});

test('a change that was refused leaves no entry of success', async (t) => {
  const { admin } = t.context;
  const id = String((await admin.get('/api/auth/me')).body['id']);
  await admin.send('PUT', `/api/users/${id}`, { role: 'viewer' });
  const { body } = await admin.get(`/api/audit?action=user.role_changed&actor_id=${id}&outcome=success`);
  t.false(entriesOf(body).some((entry) => (entry['subject'] as { id: string }).id === id));
});

test('the log is filtered, paged, and newest first', async (t) => {
  const { admin, database } = t.context;
  const actor = await givenUser(database.db);
  const entry = { actor: { userId: actor.id, username: actor.username }, action: 'setting.changed' } as const;
  for (const [n, outcome] of (['success', 'failure', 'success'] as const).entries())
    await recordAudit(database.db, { ...entry, outcome, details: { n, typed: 'nul\0nul' } });
  await database.pool.query("update audit_log set created_at = '2020-02-02T12:00:00Z' where details ->> 'n' = '0'");
  const list = async (query: string) => (await admin.get(`/api/audit?actor_id=${actor.id}&${query}`)).body;
  t.deepEqual(
    entriesOf(await list('')).map(({ details }) => (details as { n: number }).n),
    [2, 1, 0],
  );
  t.is(entriesOf(await list('outcome=failure')).length, 1);
  t.is(entriesOf(await list('action=source.deleted')).length, 0);
  t.is(entriesOf(await list('date_to=2020-02-02')).length, 1);
  t.is(entriesOf(await list('date_from=2020-02-02T12:00:00Z&date_to=2020-02-02T12:00:00Z')).length, 1);
  t.is(entriesOf(await list('date_from=2020-02-03')).length, 2);
  const page = await list('per_page=2&page=2');
  t.is(entriesOf(page).length, 1);
  t.like(page['pagination'], { total: 3, total_pages: 2 });
  t.is((await admin.get('/api/audit?outcome=maybe')).status, 400);
  t.is((await admin.get('/api/audit?actor_id=me')).status, 400);
  t.is((await admin.get('/api/audit?date_from=yesterday')).status, 400);
});

test('all entries that match come as CSV, newest first, and no cell is a formula', async (t) => {
  const { admin, database } = t.context;
  const actor = await givenUser(database.db);
  const count = 1_205; // more than are read at once
  await recordAuditEntries(
    database.db,
    Array.from({ length: count }, (_, n) => ({
      actor: { userId: actor.id, username: n === 0 ? '=cmd("a"),\n' : 'Anna' },
      action: 'setting.changed',
      outcome: 'success',
      details: { n },
    })),
  );
  await recordAudit(database.db, { actor: { userId: actor.id, username: 'Anna' }, action: 'setting.changed', outcome: 'failure' });
  const response = await admin.request(`/api/audit/export?actor_id=${actor.id}&outcome=success`);
  t.is(response.status, 200);
  t.regex(response.headers.get('content-type') ?? '', /^text\/csv; charset=utf-8/);
  const csv = await response.text();
  const [head, first] = csv.split('\n');
  t.is(head, 'time,user,user_id,address,action,outcome,subject_type,subject_id,details');
  t.regex(first ?? '', new RegExp(`^[0-9TZ:.-]+,Anna,${actor.id},,setting\\.changed,success,,,"\\{""n"":1204\\}"$`));
  t.is(csv.match(/setting\.changed,success/g)?.length, count);
  t.true(csv.includes(`,"'=cmd(""a""),\n",${actor.id}`));
  t.is((await admin.get('/api/audit/export?outcome=maybe')).status, 400);
});

test('auditors and administrators may read it, and nobody else', async (t) => {
  const { admin, anyone } = t.context;
  for (const [role, status] of [
    ['auditor', 200],
    ['editor', 403],
    ['viewer', 403],
  ] as const) {
    await admin.post('/api/users', { ...account(`reads-${role}`), role });
    t.is((await (await anyone.login(`reads-${role}`)).get('/api/audit')).status, status, role);
  }
  t.true(actionsOf((await admin.get('/api/audit')).body).includes('user.created'));
});
