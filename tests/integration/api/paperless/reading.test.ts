// What the Paperless-compatible API answers, in the forms that swift-paperless decodes, in versions 9 and 10.
import { z } from 'zod';
import { listOf, swiftDocument, swiftMetadata, swiftSettings, swiftSuggestions, swiftUser, swiftView } from '../../../support/paperless.ts';
import { givenPaperlessLibrary, type PaperlessLibrary } from '../../../support/paperless-library.ts';
import { type RunningApi, testWithApi } from '../../../support/running-api.ts';

const test = testWithApi({ FEATURE_PAPERLESS_API: 'true' });

const documents = listOf(swiftDocument);

let made: Promise<PaperlessLibrary> | undefined;
const library = (api: RunningApi): Promise<PaperlessLibrary> => {
  made ??= givenPaperlessLibrary(api);
  return made;
};

const found = async ({ client, ids }: PaperlessLibrary, query: string): Promise<string> => {
  const { results, count } = await client.read(`documents/?page_size=100&${query}`, documents);
  const names = results.flatMap(({ id }) => Object.entries(ids).flatMap(([name, number]) => (number === id ? [name] : [])));
  return count === names.length ? names.join('') : `${names.join('')} of ${count}`;
};

test.serial('each filter finds what it says, alone and with others, and one that cannot be honoured is refused', async (t) => {
  const all = await library(t.context);
  const { ids, red, blue, bank, letter } = all;
  const year = new Date().getUTCFullYear();
  const cases: readonly (readonly [string, string])[] = [
    ['ordering=title', 'ABC'],
    ['ordering=-title', 'CBA'],
    ['ordering=created', 'CAB'],
    ['ordering=-added', 'CBA'],
    ['ordering=added', 'ABC'],
    ['ordering=archive_serial_number', 'BCA'],
    ['ordering=-correspondent__name', 'ACB'],
    ['ordering=document_type__name&title__icontains=beta', 'B'],
    ['ordering=owner,-title', 'CBA'],
    ['ordering=-num_notes,title', 'ABC'],
    ['ordering=page_count,-added', 'CBA'],
    ['ordering=storage_path__name', 'ABC'],
    ['ordering=-created,id', 'BAC'],
    ['ordering=title&format=json&_=123', 'ABC'],
    ['title__icontains=LPH', 'A'],
    ['title__icontains=%25', 'A'],
    ['title__icontains=_', 'B'],
    ['title__istartswith=gam', 'C'],
    ['title__iendswith=MMA', 'C'],
    ['title__iexact=gamma', 'C'],
    [`ordering=title&tags__id__all=${red}`, 'AB'],
    [`tags__id__all=${red},${blue}`, 'B'],
    [`ordering=title&tags__id__in=${red},${blue}`, 'AB'],
    [`tags__id__none=${red}`, 'C'],
    [`ordering=title&tags__id__none=${blue}`, 'AC'],
    [`tags__id__all=${red}&tags__id__none=${blue}`, 'A'],
    ['tags__id__all=999999', ''],
    ['tags__id__in=999999', ''],
    ['ordering=title&tags__id__none=999999', 'ABC'],
    ['is_tagged=false', 'C'],
    ['is_tagged=0', 'C'],
    ['tags__name__icontains=blu', 'B'],
    [`correspondent__id=${bank}`, 'A'],
    [`correspondent__id__in=${bank},999999`, 'A'],
    [`ordering=title&correspondent__id__none=${bank}`, 'BC'],
    ['ordering=title&correspondent__isnull=true', 'BC'],
    ['correspondent__isnull=false', 'A'],
    ['correspondent__name__icontains=ban', 'A'],
    [`document_type__id=${letter}`, 'B'],
    ['ordering=title&document_type__isnull=1', 'AC'],
    ['created__date__gt=2024-01-31&created__date__lt=2025-02-02', 'B'],
    ['created__date__gte=2024-01-31&created__date__lte=2024-01-31', 'A'],
    ['created__gt=2024-12-31T00:00:00Z&created__lt=2025-06-01', 'B'],
    ['created__year=2024', 'A'],
    ['created__month=2&created__day=1&created__year=2025', 'B'],
    [`ordering=title&added__date__gte=${year - 1}-01-01`, 'ABC'],
    ['added__date__lt=2000-01-01', ''],
    ['ordering=title&modified__gt=2000-01-01T00:00:00%2B02:00', 'ABC'],
    ['archive_serial_number=7', 'A'],
    ['archive_serial_number__gt=6', 'A'],
    ['archive_serial_number__gt=7', ''],
    ['ordering=title&archive_serial_number__isnull=true', 'BC'],
    [`ordering=title&id__in=${ids.A},${ids.C}`, 'AC'],
    [`id__in=${ids.A}&id__in=${ids.C}`, ''],
    ['original_filename__istartswith=b.', 'B'],
    ['mime_type=text/plain&title__iexact=gamma', 'C'],
    ['owner__isnull=true', ''],
    ['is_in_inbox=true', ''],
    ['storage_path__id__in=1', ''],
    ['ordering=title&storage_path__isnull=true', 'ABC'],
    ['search=BET', 'B'],
    ['search=alpha+bank', 'A'],
    ['search=alpha+letter', ''],
    ['ordering=title&search=red', 'AB'],
    ['query=beta', 'B'],
    ['ordering=title&query=archive', 'ABC'],
    ['ordering=-title&query=archive&is_tagged=true', 'BA'],
    ['query=archive&is_tagged=false', 'C'],
    ['title_content=per+B', 'B'],
    ['title_content=gamm', 'C'],
    ['content__icontains=aper+B', 'B'],
    ['text=paper+C', 'C'],
    ['query=nothinglikethis', ''],
    ['query=beta&title__icontains=gamma', ''],
  ];
  for (const [query, expected] of cases) t.is(await found(all, query), expected, query);
  for (const query of [
    'tags__id__all=one',
    'created__date__gt=2024-02-30',
    'created__gt=never',
    'added__year=x',
    'is_tagged=perhaps',
    'nonsense=1',
    'titel__icontains=alpha',
    'tags__id__any=1',
    'format=csv',
    'ordering=nonsense',
    'ordering=title,nonsense',
    'ordering=score',
    'ordering=custom_field_999999',
    'title_content=%25',
    'archive_serial_number=x',
    'more_like_id=x',
    'custom_field_query=%5B%5D',
    `title_content=${'x'.repeat(501)}`,
  ]) {
    const { status, body } = await all.client.get(`documents/?${query}`);
    t.is(status, 400, query);
    t.deepEqual(Object.keys(body as object), [query.split('=', 1)[0]], query);
  }
  t.is((await all.client.get('documents/?title__icontains=%00')).status, 400);
  const ranked = async (order: string) => found(all, `query=archive&ordering=${order}`);
  t.is(await ranked('-score'), await found(all, 'query=archive'));
  t.is(await ranked('score'), (await ranked('-score')).split('').toReversed().join(''));
  for (const list of ['tags', 'correspondents', 'document_types', 'custom_fields', 'saved_views', 'users', 'trash', 'tasks', 'share_links'])
    t.deepEqual((await all.client.get(`${list}/?nonsense=1`)).body, { nonsense: ['is not supported'] }, list);
  t.deepEqual((await all.client.get('tags/?ordering=nonsense')).body, { ordering: ['"nonsense" is not supported.'] });
  t.is((await all.client.get(`tags/?id=${all.red}&ordering=-document_count`)).status, 200);
});

test.serial('pages link to each other, sizes that make no sense are the usual one, and fields can be chosen', async (t) => {
  const { client, next, ids } = await library(t.context);
  for (const each of [client, next]) {
    const first = await each.read('documents/?ordering=title&page_size=2&truncate_content=true', documents);
    t.is(first.count, 3);
    t.deepEqual(
      z
        .array(z.int())
        .parse(first['all'])
        .toSorted((a, b) => a - b),
      [ids.A, ids.B, ids.C].toSorted((a, b) => a - b),
    );
    t.is(first.previous, null);
    t.is(first.next, `${client.url}documents/?ordering=title&page_size=2&truncate_content=true&page=2`);
    const second = await each.read(String(first.next).slice(client.url.length), documents);
    t.is(second.next, null);
    t.is(second.previous, `${client.url}documents/?ordering=title&page_size=2&truncate_content=true`);
    t.deepEqual(
      [...first.results, ...second.results].map(({ id }) => id),
      [ids.A, ids.B, ids.C],
    );
  }
  for (const size of ['-1', '0', 'x', '100000']) t.is((await client.read(`documents/?page_size=${size}`, documents)).results.length, 3);
  for (const page of ['0', '2', 'x', '99999999']) {
    const { status, body } = await client.get(`documents/?page=${page}`);
    t.is(status, 404, page);
    t.deepEqual(body, { detail: 'Invalid page.' });
  }
  const chosen = await client.read('documents/?fields=id,title&title__iexact=gamma', listOf(z.record(z.string(), z.unknown())));
  t.deepEqual(chosen.results, [{ id: ids.C, title: 'Gamma' }]);
  const whole = await client.read(`documents/${ids.C}/?full_perms=true`, swiftDocument);
  t.deepEqual(whole.permissions, { view: { users: [], groups: [] }, change: { users: [], groups: [] } });
  t.true(whole.user_can_change);
  t.true(String(whole['content']).length > 1_000);
  const listed = async (query: string) => (await client.read(`documents/?title__iexact=gamma${query}`, documents)).results[0]?.['content'];
  t.is(await listed(''), whole['content']);
  t.true(String(await listed('&truncate_content=true')).length <= 500);
});

test.serial('a file is downloaded, shown and described', async (t) => {
  const { client, ids } = await library(t.context);
  const download = await client.request(`documents/${ids.A}/download/?original=true`);
  t.is(await download.text(), 'paper A');
  t.regex(download.headers.get('content-disposition') ?? '', /^attachment; filename="?A\.txt/);
  t.regex((await client.request(`documents/${ids.A}/preview/`)).headers.get('content-disposition') ?? '', /^inline/);
  const thumb = await client.request(`documents/${ids.A}/thumb/`);
  t.true(thumb.status === 200 ? thumb.headers.get('content-type') === 'image/webp' : thumb.status === 404);
  t.like(await client.read(`documents/${ids.A}/metadata/`, swiftMetadata), {
    original_filename: 'A.txt',
    original_mime_type: 'text/plain',
    original_size: 7,
  });
  await client.read(`documents/${ids.A}/suggestions/`, swiftSuggestions);
  t.deepEqual((await client.get(`documents/${ids.A}/share_links/`)).body, []);
});

test.serial('saved searches, users, settings and figures come in the form of Paperless', async (t) => {
  const { client, next, red, bank } = await library(t.context);
  const { admin } = t.context;
  const labels = z.array(z.looseObject({ id: z.string(), name: z.string() })).parse((await admin.get('/api/labels')).body['labels']);
  const redId = labels.find(({ name }) => name === 'Red')?.id;
  await admin.post('/api/saved-searches', { name: 'Red letters', query: 'paper', filters: { label_ids: [redId], label_match: 'all' } });
  await admin.post('/api/saved-searches', { name: 'Large', query: 'paper', filters: { min_size: 5 } });
  const views = await client.read('saved_views/?page_size=100000', listOf(swiftView));
  t.deepEqual(
    views.results.map(({ name }) => name),
    ['Red letters'],
  );
  t.deepEqual(views.results[0]?.filter_rules, [
    { rule_type: 20, value: 'paper' },
    { rule_type: 6, value: String(red) },
  ]);
  t.is((await client.read(`saved_views/${views.results[0]?.id ?? 0}/`, swiftView)).name, 'Red letters');
  const { user, permissions } = await next.read('ui_settings/', swiftSettings);
  t.false(user.is_superuser);
  for (const name of ['change_document', 'view_user', 'view_logentry']) t.true(permissions.includes(name), name);
  t.is((await client.read(`users/${user.id}/`, swiftUser)).username, 'admin');
  t.is((await client.read('documents/?title__icontains=alpha', documents)).results[0]?.owner, user.id);
  t.like((await client.get('statistics/')).body, { documents_total: 3, storage_path_count: 0 });
  t.like((await client.get('status/')).body, { pngx_version: '2.20.15', database: { status: 'OK' } });
  t.like((await client.get('remote_version/')).body, { update_available: false });
  t.like((await client.get('profile/')).body, { email: 'admin@example.org' });
  t.like((await client.get('search/?query=Bank')).body, { correspondents: [{ id: bank, name: 'Bank' }], workflows: [] });
  t.is((await client.get('search/?query=ab')).status, 400);
  t.is((await client.get('search/autocomplete/')).status, 400);
  t.is(z.array(z.looseObject({ id: z.int() })).parse((await client.get('config/')).body).length, 1);
  for (const list of ['storage_paths', 'groups', 'share_links', 'mail_accounts', 'mail_rules', 'workflows'])
    t.is((await client.read(`${list}/`, listOf(z.unknown()))).count, 0, list);
  t.like((await client.get('')).body, { documents: `${client.url}documents/`, tags: `${client.url}tags/` });
  t.is((await client.get('nowhere/')).status, 404);
  const future = await t.context.anyone.request('/paperless/api/', { headers: { accept: 'application/json; version=11' } });
  t.is(future.status, 406);
});
