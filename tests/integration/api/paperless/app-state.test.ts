// What apps store here for a user, and what they are refused so that they do not believe it was done.
import { z } from 'zod';
import { listOf, PaperlessClient, swiftDocument, swiftField, swiftSettings, swiftTask9, swiftUser } from '../../../support/paperless.ts';
import { testWithApi } from '../../../support/running-api.ts';

const test = testWithApi({ FEATURE_PAPERLESS_API: 'true' });

test('settings that an app stores come back to its user, without those that the service decides', async (t) => {
  const { anyone, admin } = t.context;
  const client = await PaperlessClient.signIn(anyone, 'admin');
  await admin.register('uma', 'viewer');
  const other = await PaperlessClient.signIn(anyone, 'uma');
  const settings = {
    documentListSize: 25,
    dark_mode: { enabled: true },
    saved_views: { dashboard_views_visible_ids: [7] },
    permissions: 'none',
    version: '1.0',
    trash_delay: 1,
  };
  t.deepEqual((await client.post('ui_settings/', { settings })).body, { success: true });
  const { settings: stored, permissions } = await client.read('ui_settings/', swiftSettings);
  t.like(stored, {
    documentListSize: 25,
    dark_mode: { enabled: true },
    saved_views: { dashboard_views_visible_ids: [7], sidebar_views_visible_ids: [] },
    permissions: { default_view_users: [] },
    version: '2.20.15',
    trash_delay: 30,
  });
  t.true(permissions.includes('change_uisettings'));
  t.false(permissions.some((name) => /_(?:workflow|mailrule|mailaccount|storagepath|group|log(?!entry))/.test(name)));
  t.like((await other.read('ui_settings/', swiftSettings)).settings, { documentListSize: 50 });
  t.is((await client.post('ui_settings/', { settings: { text: 'x'.repeat(200_000) } })).status, 400);
  t.is((await client.post('ui_settings/', {})).status, 400);
});

test('a task that its user acknowledged stays so, and is no longer among those that are not', async (t) => {
  const { anyone, admin } = t.context;
  const client = await PaperlessClient.signIn(anyone, 'admin');
  await admin.register('otto', 'editor');
  const stranger = await PaperlessClient.signIn(anyone, 'otto');
  const { body: taskId } = await client.upload('task.txt', 'to be acknowledged');
  const find = async (query = '') => client.read(`tasks/?task_id=${String(taskId)}${query}`, z.array(swiftTask9));
  const [task] = await find();
  t.is(task?.acknowledged, false);
  t.deepEqual((await stranger.post('tasks/acknowledge/', { tasks: [task?.id] })).body, { result: 0 });
  t.deepEqual((await client.post('tasks/acknowledge/', { tasks: [task?.id, 999_999] })).body, { result: 1 });
  t.like(await find('&acknowledged=true'), [{ acknowledged: true }]);
  t.deepEqual(await find('&acknowledged=false'), []);
  await t.context.database.pool.query(`update documents set status = 'completed', completed_at = now() where id = $1`, [taskId]);
  t.is((await admin.post(`/api/documents/${String(taskId)}/retry-ocr`, {})).status, 200);
  t.like(await find('&acknowledged=false'), [{ acknowledged: false }]);
});

test('lists that are always empty refuse what other lists refuse', async (t) => {
  const client = await PaperlessClient.signIn(t.context.anyone, 'admin');
  const lists = ['storage_paths', 'groups', 'mail_accounts', 'mail_rules', 'workflows', 'workflow_triggers', 'workflow_actions'];
  for (const list of lists) {
    const usual = 'page=1&page_size=100000&ordering=-name&full_perms=true&name__icontains=a&id__in=1,2&_=7&format=json';
    t.like((await client.get(`${list}/?${usual}`)).body, { count: 0, next: null, results: [] }, list);
    for (const [name, value] of Object.entries({ colour: 'red', name__like: 'a', id: 'x', id__in: '1,x', ordering: 'size' })) {
      const { status, body } = await client.get(`${list}/?${name}=${value}`);
      t.is(status, 400, `${list}: ${name}`);
      t.deepEqual(Object.keys(body as object), [name], list);
    }
    t.is((await client.get(`${list}/?page=2`)).status, 404, list);
  }
  await client.upload('parts.txt', 'a paper with parts', [['title', 'Parts']]);
  const id = await client.numberOf('Parts');
  for (const list of ['logs', 'share_links', ...['share_links', 'notes', 'history'].map((name) => `documents/${id}/${name}`)])
    t.deepEqual((await client.get(`${list}/?colour=red`)).body, { colour: ['is not supported'] }, list);
});

test('an administrator is offered what exists here, and may still change documents of others', async (t) => {
  const { anyone, admin } = t.context;
  const client = await PaperlessClient.signIn(anyone, 'admin');
  await admin.register('olga', 'editor');
  const other = await PaperlessClient.signIn(anyone, 'olga');
  await other.upload('hers.txt', 'a paper of another user', [['title', 'Hers']]);
  const { user, permissions, settings } = await client.read('ui_settings/', swiftSettings);
  t.like(user, { is_superuser: false, is_staff: false });
  t.like(settings, { auditlog_enabled: true });
  t.deepEqual(
    permissions.filter((name) => /_(?:user|logentry)$/.test(name)),
    ['view_user', 'view_logentry'],
  );
  const users = await client.read('users/', listOf(swiftUser));
  t.true(users.results.every((each) => !each.is_superuser));
  const id = await client.numberOf('Hers');
  t.true((await client.read(`documents/${id}/?full_perms=true`, swiftDocument)).user_can_change);
  t.is((await client.send('PATCH', `documents/${id}/`, { title: 'Ours', user_can_change: true })).status, 200);
});

test('what there is no place for is refused, and lists of it stay empty', async (t) => {
  const client = await PaperlessClient.signIn(t.context.anyone, 'admin');
  for (const list of ['storage_paths', 'groups', 'mail_accounts', 'mail_rules', 'workflows']) {
    t.is((await client.post(`${list}/`, { name: 'One' })).status, 403, list);
    t.like((await client.get(`${list}/`)).body, { count: 0 });
  }
  t.deepEqual((await client.get('logs/')).body, []);
  const wrong: readonly (readonly [string, unknown])[] = [
    ['match', 'invoice'],
    ['is_inbox_tag', true],
    ['owner', 999_999],
    ['workflow', 'inbox'],
    ['set_permissions', { view: { users: [1], groups: [] }, change: { users: [], groups: [] } }],
  ];
  for (const [field, value] of wrong) {
    const { status, body } = await client.post('tags/', { name: `With ${field}`, [field]: value });
    t.is(status, 400, field);
    t.deepEqual(Object.keys(body as object), [field]);
  }
  t.is((await client.post('tags/', { name: 'Plain', match: '', matching_algorithm: 6, is_inbox_tag: false, owner: null })).status, 201);
});

test('many custom fields are deleted by one request, and storage paths are none', async (t) => {
  const { anyone, admin } = t.context;
  const client = await PaperlessClient.signIn(anyone, 'admin');
  const fields = [await client.create('custom_fields', { name: 'One', data_type: 'string' })];
  fields.push(await client.create('custom_fields', { name: 'Two', data_type: 'date' }));
  const edit = (more: object) =>
    client.post('bulk_edit_objects/', { objects: fields, object_type: 'custom_fields', operation: 'delete', ...more });
  await admin.register('edda', 'editor');
  const editor = await PaperlessClient.signIn(anyone, 'edda');
  t.is((await editor.post('bulk_edit_objects/', { objects: fields, object_type: 'custom_fields', operation: 'delete' })).status, 403);
  t.is((await edit({ operation: 'set_permissions', permissions: { view: { users: [1] } } })).status, 400);
  t.is((await client.read(`custom_fields/${fields[0] ?? 0}/`, swiftField)).name, 'One');
  t.is((await edit({})).status, 200);
  t.is((await client.get(`custom_fields/${fields[0] ?? 0}/`)).status, 404);
  t.is((await edit({ object_type: 'storage_paths', objects: [1] })).status, 400);
});
