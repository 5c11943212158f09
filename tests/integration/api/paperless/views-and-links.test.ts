// Saved views, share links, the profile, and many tags and the like at once.
import { ApiClient } from '@sheaf/testkit';
import { z } from 'zod';
import { startApiWithPermissions } from '../../../support/api-with-permissions.ts';
import { listOf, PaperlessClient, swiftEntry, swiftTag, swiftView } from '../../../support/paperless.ts';
import { testWithApi } from '../../../support/running-api.ts';

const FEATURE = { FEATURE_PAPERLESS_API: 'true' };
const test = testWithApi(FEATURE);

test.serial('saved views are made of rules, changed and deleted; what makes no sense is refused', async (t) => {
  const client = await PaperlessClient.signIn(t.context.anyone, 'admin');
  const tag = await client.create('tags', { name: 'Red' });
  const bank = await client.create('correspondents', { name: 'Bank' });
  const amount = await client.create('custom_fields', { name: 'Amount', data_type: 'float' });
  const rules = [
    { rule_type: 20, value: 'paper -"old news"' },
    { rule_type: 6, value: String(tag) },
    { rule_type: 26, value: String(bank) },
    { rule_type: 28, value: null },
    { rule_type: 44, value: '2026-01-01' },
    { rule_type: 46, value: '2026-02-01' },
    { rule_type: 42, value: JSON.stringify(['AND', [[amount, 'gt', 5]]]) },
  ];
  const view = { name: 'Red letters', show_in_sidebar: true, show_on_dashboard: true, sort_field: 'created', sort_reverse: true };
  const id = await client.create('saved_views', { ...view, filter_rules: rules, page_size: null, display_mode: null });
  const made = await client.read(`saved_views/${id}/`, swiftView);
  t.like(made, { name: 'Red letters', show_in_sidebar: true, show_on_dashboard: false, sort_field: 'created', sort_reverse: true });
  t.deepEqual(made.filter_rules, rules);
  t.is((await client.send('PUT', `saved_views/${id}/`, made)).status, 200, 'what was got is sent back');
  const searches = z
    .array(z.looseObject({ name: z.string(), query: z.string(), is_pinned: z.boolean() }))
    .parse((await t.context.admin.get('/api/saved-searches')).body['data']);
  t.like(searches, [{ name: 'Red letters', query: 'paper -"old news"', is_pinned: true }]);
  const changed = await client.send('PATCH', `saved_views/${id}/`, {
    filter_rules: [{ rule_type: 0, value: 'notice' }],
    sort_field: 'title',
  });
  t.is(changed.status, 200, JSON.stringify(changed.body));
  t.like(changed.body, {
    name: 'Red letters',
    sort_field: 'title',
    show_in_sidebar: true,
    filter_rules: [{ rule_type: 0, value: 'notice' }],
  });
  t.is((await client.send('PUT', `saved_views/${id}/`, { ...view, name: 'Other', show_in_sidebar: false, filter_rules: [] })).status, 200);
  t.like(await client.read(`saved_views/${id}/`, swiftView), { name: 'Other', show_in_sidebar: false, filter_rules: [] });
  for (const wrong of [
    { filter_rules: [{ rule_type: 50, value: '1' }] },
    { filter_rules: [{ rule_type: 6, value: '999999' }] },
    { filter_rules: [{ rule_type: 44, value: 'soon' }] },
    { sort_field: 'num_notes' },
    { set_permissions: { view: { users: [1] } } },
    { owner: 999_999 },
    { filter_rules: [{ rule_type: 0, value: 'notice', is_negated: true }] },
    { icon: 'star' },
    { name: '' },
  ]) {
    t.is((await client.post('saved_views/', { name: 'Wrong', filter_rules: [], ...wrong })).status, 400, JSON.stringify(wrong));
  }
  t.is((await client.read('saved_views/', listOf(swiftView))).count, 1);
  await t.context.admin.register('vera', 'viewer');
  const stranger = await PaperlessClient.signIn(t.context.anyone, 'vera');
  for (const [method, body] of [
    ['GET', undefined],
    ['PATCH', { name: 'Mine' }],
    ['DELETE', undefined],
  ] as const)
    t.is((await stranger.send(method, `saved_views/${id}/`, body)).status, 404, method);
  t.is((await client.send('DELETE', `saved_views/${id}/`)).status, 204);
  t.is((await client.get(`saved_views/${id}/`)).status, 404);
});

test.serial('share links are made by a key that may share, listed and revoked, and open at the address of the server', async (t) => {
  const { anyone, admin } = t.context;
  const token = await PaperlessClient.signIn(anyone, 'admin');
  await token.upload('A.txt', 'shared text', [['title', 'Shared']]);
  const document = await token.numberOf('Shared');
  t.is((await token.post('share_links/', { document })).status, 403);
  t.deepEqual((await token.get(`documents/${document}/share_links/`)).body, []);
  const { body } = await admin.post('/api/keys', { name: 'links', scope: ['*', 'documents.share'] });
  const client = new PaperlessClient(anyone, z.string().parse(body['key']));
  const expiration = new Date(Date.now() + 3 * 86_400_000).toISOString();
  const made = await client.post('share_links/', { document, expiration, file_version: 'archive' });
  t.is(made.status, 201, JSON.stringify(made.body));
  const link = z.object({ id: z.int(), slug: z.string().min(20), document: z.int(), expiration: z.string() }).parse(made.body);
  t.like(link, { document, expiration });
  const opened = await anyone.request(`/paperless/share/${link.slug}`, { redirect: 'manual' });
  t.is(opened.status, 303);
  const { pathname } = new URL(opened.headers.get('location') ?? '');
  t.regex(await (await anyone.request(pathname)).text(), /Shared/);
  const links = listOf(z.looseObject({ id: z.int(), created: z.iso.datetime(), slug: z.string(), document: z.int() }));
  t.like(await client.read('share_links/', links), { count: 1, results: [{ id: link.id, document, slug: '' }] });
  t.like((await client.get(`documents/${document}/share_links/`)).body, [{ id: link.id }]);
  t.is((await client.get(`share_links/${link.id}/`)).status, 200);
  t.is((await client.post('share_links/', { document: 999_999 })).status, 400);
  t.is((await client.post('share_links/', { document, expiration: '2001-01-01T00:00:00Z' })).status, 400);
  t.is((await client.send('DELETE', `share_links/${link.id}/`)).status, 204);
  t.is((await anyone.request(pathname)).status, 404);
  t.is((await client.read('share_links/', links)).count, 0);
  t.is((await client.get(`share_links/${link.id}/`)).status, 404);
});

test.serial(
  'the profile has one name, which a session can change; address and password cannot be, and a token changes nothing',
  async (t) => {
    const app = await PaperlessClient.signIn(t.context.anyone, 'admin');
    t.like((await app.get('profile/')).body, { first_name: '', email: 'admin@example.org' });
    const refused = await app.send('PATCH', 'profile/', { first_name: 'Owned by a scanner' });
    t.is(refused.status, 403);
    t.regex(JSON.stringify(refused.body), /API key/);
    const send = (change: object) => t.context.admin.send('PATCH', '/paperless/api/profile/', change);
    const { status, body } = await send({ first_name: 'Ada', last_name: 'Lovelace', email: 'admin@example.org', password: '**********' });
    t.is(status, 200, JSON.stringify(body));
    t.like(body, { first_name: 'Ada Lovelace', last_name: '', email: 'admin@example.org' });
    t.is((await send({})).status, 200);
    t.is((await send({ email: 'other@example.org' })).status, 400);
    t.is((await send({ password: 'new password of mine' })).status, 400);
    t.like((await app.get('profile/')).body, { first_name: 'Ada Lovelace', email: 'admin@example.org' });
  },
);

test.serial('bulk_edit_objects deletes all or none of the tags, correspondents or document types that are named', async (t) => {
  const client = await PaperlessClient.signIn(t.context.anyone, 'admin');
  const edit = (objectType: string, objects: readonly number[], operation: string, more = {}) =>
    client.post('bulk_edit_objects/', { objects, object_type: objectType, operation, ...more });
  for (const list of ['tags', 'correspondents', 'document_types']) {
    const [one, two, kept] = [
      await client.create(list, { name: `One ${list}` }),
      await client.create(list, { name: `Two ${list}` }),
      await client.create(list, { name: `Kept ${list}` }),
    ];
    const none = { permissions: { view: { users: [], groups: [] }, change: { users: [], groups: [] } }, owner: null, merge: true };
    t.is((await edit(list, [one, two], 'set_permissions', none)).status, 200);
    t.is((await edit(list, [one, two], 'set_permissions', { owner: 1 })).status, 400);
    t.is((await edit(list, [one, two], 'set_permissions', { permissions: { view: { users: [1] } } })).status, 400);
    t.is((await edit(list, [one, 999_999], 'delete')).status, 400);
    t.is((await client.get(`${list}/${one}/`)).status, 200);
    const { status, body } = await edit(list, [one, two, one], 'delete');
    t.deepEqual([status, body], [200, { result: 'OK' }]);
    t.deepEqual(
      (await client.read(`${list}/?name__iendswith=${list}`, listOf(list === 'tags' ? swiftTag : swiftEntry))).results.map(({ id }) => id),
      [kept],
    );
  }
  t.is((await edit('storage_paths', [1], 'delete')).status, 400);
  t.is((await edit('tags', [], 'delete')).status, 400);
  t.is((await edit('tags', [1], 'rename')).status, 400);
});

test.serial('nobody deletes what they may only read, whatever else is named', async (t) => {
  const { anyone, admin, database } = t.context;
  await admin.register('other', 'editor');
  const permissions = ['documents.read.own', 'labels.read', 'labels.create', 'labels.update.own', 'labels.delete.own'];
  await using api = await startApiWithPermissions(database, { other: permissions }, [], {}, FEATURE);
  const owner = await PaperlessClient.signIn(anyone, 'admin');
  const other = await PaperlessClient.signIn(new ApiClient(api.url), 'other');
  for (const list of ['tags', 'correspondents', 'document_types']) {
    const [theirs, own] = [await owner.create(list, { name: `Theirs ${list}` }), await other.create(list, { name: `Own ${list}` })];
    const both = { objects: [own, theirs], object_type: list };
    t.is((await other.post('bulk_edit_objects/', { ...both, operation: 'delete' })).status, 403, list);
    t.is((await other.post('bulk_edit_objects/', { ...both, operation: 'set_permissions' })).status, 403, list);
    for (const id of [theirs, own]) t.is((await owner.get(`${list}/${id}/`)).status, 200, list);
    t.is((await other.post('bulk_edit_objects/', { objects: [own], object_type: list, operation: 'delete' })).status, 200, list);
  }
});
