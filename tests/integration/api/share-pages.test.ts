// What visitors of share links see, and what they do not. Managing the links is in shares.test.ts.
import { savePages } from '@sheaf/documents/pages';
import { indexDocument } from '@sheaf/search';
import { type ApiClient, drawLines } from '@sheaf/testkit';
import type { ExecutionContext } from 'ava';
import { makeNotedLogger } from '../../support/noted-logger.ts';
import { givenPerson } from '../../support/person.ts';
import { type RunningApi, startApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi();

const HOSTILE = `</title><script>alert(1)</script><img src=x onerror="alert('2')"> & "quotes"`;
const PASSWORD = 'open sesame';
const NEVER = `/s/${'A'.repeat(43)}`;

const textOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

let uploads = 0;
const givenText = async (client: ApiClient, { database }: RunningApi, title: string): Promise<string> => {
  uploads += 1;
  const { body } = await client.upload({ name: `paper ${uploads}.txt`, bytes: textOf(`the original bytes ${uploads}`) });
  const id = String(body['id']);
  await database.pool.query(`update documents set title = $2, status = 'completed', completed_at = now() where id = $1`, [id, title]);
  await indexDocument(database.db, id);
  return id;
};

/** A link as a path of this api, whatever address it has outside. */
const share = async (client: ApiClient, of: string, body: object = {}): Promise<{ id: string; path: string }> => {
  const made = await client.post(`/api/${of}/shares`, body);
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  return { id: String(made.body['id']), path: new URL(String(made.body['url'])).pathname };
};

const visit = async ({ anyone }: RunningApi, path: string, init: RequestInit = {}) => {
  const response = await anyone.request(path, { redirect: 'manual', ...init });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

/** Of answers that are to be the same, without what differs between any two. */
const shapeOf = ({ status, headers, text }: Awaited<ReturnType<typeof visit>>) => ({
  status,
  text,
  headers: Object.fromEntries([...headers].filter(([name]) => !['date', 'x-request-id'].includes(name))),
});

const isLikeUnknown = async (t: ExecutionContext<RunningApi>, path: string, why: string): Promise<void> => {
  const unknown = shapeOf(await visit(t.context, NEVER));
  t.is(unknown.status, 404);
  t.deepEqual(shapeOf(await visit(t.context, path)), unknown, why);
};

const countOf = async ({ database }: RunningApi, id: string): Promise<number> => {
  const { rows } = await database.pool.query<{ count: number }>('select access_count::int as count from shares where id = $1', [id]);
  return rows[0]?.count ?? -1;
};

test('a page shows title, date and pages to anybody, nothing of it runs, is kept or indexed, and its accesses are counted', async (t) => {
  const { admin, database } = t.context;
  const document = await givenText(admin, t.context, HOSTILE);
  const pages = Array.from({ length: 12 }, (_, n) => ({
    page: n + 1,
    content: `<b>words of ${n + 1}</b>`,
    confidence: 1,
    origin: 'text' as const,
  }));
  await savePages(database.db, document, pages);
  await database.pool.query(`update documents set document_date = '2024-03-05' where id = $1`, [document]);
  const { id, path } = await share(admin, `documents/${document}`);
  const page = await visit(t.context, `${path}?utm_source=mail`);
  t.is(page.status, 200, page.text);
  t.is(page.headers.get('content-type'), 'text/html; charset=utf-8');
  t.is(page.headers.get('cache-control'), 'private, no-store');
  t.is(page.headers.get('referrer-policy'), 'no-referrer');
  t.is(page.headers.get('x-robots-tag'), 'noindex, nofollow');
  t.is(page.headers.get('x-content-type-options'), 'nosniff');
  t.deepEqual(page.headers.getSetCookie(), []);
  const policy = String(page.headers.get('content-security-policy'));
  t.regex(
    policy,
    /^default-src 'none'; style-src 'sha256-[\w+/=]+'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
  );
  t.false(/<script|<img src=x|<b>/.test(page.text), page.text);
  t.true(page.text.includes('&lt;script&gt;alert(1)&lt;/script&gt;') && page.text.includes('&lt;b&gt;words of 1&lt;/b&gt;'));
  t.true(page.text.includes('Mar 5, 2024') && page.text.includes('Page 10 of 12'));
  t.false(page.text.includes('words of 11') || page.text.includes('/download'));
  const next = await visit(t.context, `${path}?from=11`);
  t.true(next.text.includes('words of 12') && !next.text.includes('words of 10'));

  const [, source = ''] = /<img src="([^"]+)"/.exec(page.text) ?? [];
  t.is(source, `${path}/documents/${document}/pages/1`);
  const head = await visit(t.context, path, { method: 'HEAD' });
  t.deepEqual([head.status, head.text, head.headers.get('x-robots-tag')], [200, '', 'noindex, nofollow']);
  await Promise.all(Array.from({ length: 20 }, () => visit(t.context, path)));
  t.is(await countOf(t.context, id), 21, 'neither HEAD nor further pages are counted');
  const { rows } = await database.pool.query(`select from audit_log where action = 'share.opened' and subject_id = $1`, [id]);
  t.is(rows.length, 1);
  const events = await database.pool.query(`select from events where type = 'share_opened' and data ->> 'share_id' = $1`, [id]);
  t.is(events.rows.length, 1);
});

test('what may be viewed only never leaves as it was stored; what may be downloaded does, also in parts', async (t) => {
  const { admin } = t.context;
  const jpeg = drawLines([`a picture ${Math.random()}`]).withExif({ IFD0: { Copyright: 'only in the original' } });
  const bytes = new Uint8Array(await jpeg.jpeg().toBuffer());
  t.true(Buffer.from(bytes).includes('only in the original'));
  const { body } = await admin.upload({ name: 'a picture ü.jpg', bytes });
  const of = `documents/${String(body['id'])}`;
  const view = await share(admin, of);
  const own = `${view.path}/${of}`;
  const picture = await t.context.anyone.request(`${own}/pages/1`, { headers: { accept: 'image/jpeg' } });
  t.is(picture.status, 200);
  t.is(picture.headers.get('content-type'), 'image/jpeg');
  t.is(picture.headers.get('cache-control'), 'private, no-store');
  t.false(Buffer.from(await picture.arrayBuffer()).includes('only in the original'));
  await isLikeUnknown(t, `${own}/download`, 'view only');
  await isLikeUnknown(t, `${own}/pages/99`, 'no such page');
  t.is((await visit(t.context, `${own}/download`, { headers: { range: 'bytes=0-3' } })).status, 404);
  t.is((await visit(t.context, `${own}/download`, { method: 'HEAD' })).status, 404);

  const download = await share(admin, of, { allow_download: true });
  const file = `${download.path}/${of}/download`;
  t.true((await visit(t.context, download.path)).text.includes(`href="${file}"`));
  const whole = await t.context.anyone.request(file);
  t.deepEqual(new Uint8Array(await whole.arrayBuffer()), bytes);
  t.is(whole.headers.get('content-disposition'), `attachment; filename="a picture ?.jpg"; filename*=UTF-8''a%20picture%20%C3%BC.jpg`);
  t.is(whole.headers.get('content-security-policy'), "sandbox; default-src 'none'; style-src 'unsafe-inline'");
  t.is(whole.headers.get('cache-control'), 'private, no-store');
  t.is(whole.headers.get('x-robots-tag'), 'noindex, nofollow');
  const part = await t.context.anyone.request(file, { headers: { range: 'bytes=2-5' } });
  t.deepEqual([part.status, part.headers.get('content-range')], [206, `bytes 2-5/${bytes.length}`]);
  t.deepEqual(new Uint8Array(await part.arrayBuffer()), bytes.slice(2, 6));
  t.is((await visit(t.context, file, { headers: { range: `bytes=${bytes.length}-` } })).status, 416);
  const head = await visit(t.context, file, { method: 'HEAD' });
  t.deepEqual([head.status, head.headers.get('content-length')], [200, String(bytes.length)]);
  t.is(await countOf(t.context, download.id), 2, 'the page and the whole file');
});

test('a password is asked for before anything is shown, and cannot be guessed', async (t) => {
  const { admin, database } = t.context;
  const document = await givenText(admin, t.context, 'Secret title');
  const of = `documents/${document}`;
  const link = await share(admin, of, { password: PASSWORD, allow_download: true });
  const other = await share(admin, of, { password: PASSWORD });
  const give = (path: string, password: string, more: Readonly<Record<string, string>> = {}) =>
    visit(t.context, path, { method: 'POST', body: new URLSearchParams({ password, ...more }), headers: { origin: 'null' } });
  const form = await visit(t.context, link.path);
  t.is(form.status, 200);
  t.true(form.text.includes('type="password"') && form.text.includes('<label for="password">'));
  t.false(form.text.includes('Secret title'));
  for (const behind of ['', '/pages/1', '/download']) {
    const answer = await visit(t.context, `${link.path}/${of}${behind}`);
    t.deepEqual([answer.status, answer.headers.get('location')], [303, link.path], behind);
  }
  t.is(await countOf(t.context, link.id), 0);
  const right = await give(link.path, PASSWORD);
  t.deepEqual([right.status, right.headers.get('location')], [303, link.path]);
  const [cookie = '', ...more] = right.headers.getSetCookie();
  t.deepEqual(more, []);
  t.true(cookie.includes(`Path=${link.path};`) && /; HttpOnly/.test(cookie) && /; SameSite=Lax/.test(cookie), cookie);
  const until = Date.parse(/Expires=([^;]+)/.exec(cookie)?.[1] ?? '');
  t.true(until > Date.now() && until < Date.now() + 3_700_000);
  const [pair = ''] = cookie.split(';');
  const opened = await visit(t.context, link.path, { headers: { cookie: pair } });
  t.true(opened.text.includes('Secret title'));
  t.is((await visit(t.context, `${link.path}/${of}/download`, { headers: { cookie: pair } })).status, 200);
  t.false((await visit(t.context, other.path, { headers: { cookie: pair } })).text.includes('Secret title'), 'of another link');
  const [name, value = ''] = pair.split('=');
  const later = `${Number(value.split('.')[0]) + 1}.${value.split('.')[1]}`;
  for (const forged of [later, '9999999999999.', '', '9999999999999.AAAA'])
    t.false((await visit(t.context, link.path, { headers: { cookie: `${name}=${forged}` } })).text.includes('Secret title'), forged);

  t.is((await visit(t.context, link.path, { method: 'POST' })).status, 403, 'no password at all');
  t.is((await give(link.path, 'x'.repeat(300))).status, 403);
  const guesses = await Promise.all(Array.from({ length: 30 }, (_, n) => give(link.path, `guess number ${n}`)));
  const statuses = guesses.map(({ status }) => status);
  t.is(statuses.filter((status) => status === 403).length, 10);
  t.is(statuses.filter((status) => status === 429).length, 20);
  const limited = await give(link.path, PASSWORD);
  t.is(limited.status, 429, 'also the right one');
  t.true(Number(limited.headers.get('retry-after')) > 60);
  t.deepEqual(limited.headers.getSetCookie(), []);
  t.is((await give(other.path, PASSWORD)).status, 303, 'another link is not concerned');
  t.true((await visit(t.context, link.path, { headers: { cookie: pair } })).text.includes('Secret title'), 'nor who is in');
  const { rows } = await database.pool.query<{ subject: string }>(`select subject from rate_limit_counts where subject like 'share:%'`);
  t.true(rows.length >= 2);
  t.is((await admin.delete(`/api/shares/${link.id}`)).status, 204);
  await isLikeUnknown(t, link.path, 'revoked at once, whatever a browser keeps');
  t.deepEqual(shapeOf(await give(link.path, PASSWORD)), shapeOf(await give(NEVER, PASSWORD)));
});

test('a link that shows nothing any more answers as one that never was', async (t) => {
  const { admin, database } = t.context;
  const ann = await givenPerson(t.context, 'editor');
  const document = await givenText(admin, t.context, 'Of the administrator');
  const given = () => share(ann.client, `documents/${document}`);
  const expired = await given();
  await database.pool.query(`update shares set expires_at = now() where id = $1`, [expired.id]);
  await isLikeUnknown(t, expired.path, 'expired');
  const revoked = await given();
  t.is((await ann.client.delete(`/api/shares/${revoked.id}`)).status, 204);
  await isLikeUnknown(t, revoked.path, 'revoked');
  for (const path of ['/s/', '/s/%00', '/s/x', `/s/${encodeURIComponent('"><b>')}`, `${NEVER}/documents/x`, `${NEVER}/documents/x/pages/y`])
    if (path !== '/s/') await isLikeUnknown(t, path, path);

  const link = await given();
  t.is((await visit(t.context, link.path)).status, 200);
  const setRole = (role: string) => admin.send('PATCH', `/api/users/${ann.id}`, { role });
  t.is((await setRole('viewer')).status, 200);
  await isLikeUnknown(t, link.path, 'who made it may share no more');
  t.is((await setRole('editor')).status, 200);
  t.is((await visit(t.context, link.path)).status, 200);
  await database.pool.query('update users set disabled_at = now() where id = $1', [ann.id]);
  await isLikeUnknown(t, link.path, 'disabled');
  await database.pool.query('update users set disabled_at = null where id = $1', [ann.id]);
  const gone = await givenText(admin, t.context, 'Gone');
  const toGone = await share(ann.client, `documents/${gone}`);
  t.is((await visit(t.context, toGone.path)).status, 200);
  t.is((await admin.delete(`/api/documents/${gone}`)).status, 204);
  await isLikeUnknown(t, toGone.path, 'deleted');
  t.is((await admin.delete(`/api/users/${ann.id}`)).status, 204);
  await isLikeUnknown(t, link.path, 'who made it is gone');
});

test('the link of a search shows what it finds for its maker at that moment, and no more', async (t) => {
  const { admin } = t.context;
  const roles = (await admin.get('/api/roles')).body['roles'] as { name: string; permissions: string[] }[];
  const own = { name: 'clerk', permissions: ['documents.*', 'search.query'] };
  const setRoles = (permissions: readonly string[]) =>
    admin.send('PUT', '/api/roles', { roles: [...roles.map(({ name, permissions }) => ({ name, permissions })), { ...own, permissions }] });
  t.is((await setRoles(own.permissions)).status, 200);
  const ann = await givenPerson(t.context, 'clerk');
  const mine = await givenText(ann.client, t.context, 'Zebra of ann');
  const theirs = await givenText(admin, t.context, 'Zebra of the administrator');
  const outside = await givenText(ann.client, t.context, 'Lion of ann');
  const { body: search } = await ann.client.post('/api/saved-searches', { name: 'Zebras', query: 'zebra', sort: 'title', order: 'asc' });
  const { path } = await share(ann.client, `saved-searches/${String(search['id'])}`, { allow_download: true });
  const shown = async (id: string): Promise<[boolean, number]> => [
    (await visit(t.context, path)).text.includes(`href="${path}/documents/${id}"`),
    (await visit(t.context, `${path}/documents/${id}`)).status,
  ];
  t.deepEqual(
    [await shown(mine), await shown(theirs), await shown(outside)],
    [
      [true, 200],
      [true, 200],
      [false, 404],
    ],
  );
  t.is((await visit(t.context, `${path}/documents/${theirs}/download`)).status, 200);
  await isLikeUnknown(t, `${path}/documents/${outside}/download`, 'not found by the search');
  t.true((await visit(t.context, `${path}/documents/${mine}`)).text.includes(`href="${path}"`), 'the way back');

  t.is((await setRoles(['documents.read.own', 'documents.share', 'search.query', 'documents.create'])).status, 200);
  t.deepEqual(
    [await shown(mine), await shown(theirs)],
    [
      [true, 200],
      [false, 404],
    ],
    'he may read only his own now',
  );
  t.is((await setRoles(['documents.read', 'documents.share.own', 'search.query', 'documents.create'])).status, 200);
  t.deepEqual(
    [await shown(mine), await shown(theirs)],
    [
      [true, 200],
      [false, 404],
    ],
    'and now share only his own',
  );
  const later = await givenText(ann.client, t.context, 'A later zebra');
  t.deepEqual(await shown(later), [true, 200]);
  const { body: all } = await ann.client.post('/api/saved-searches', { name: 'All', filters: { mime_types: ['text/plain'] } });
  const everything = await share(ann.client, `saved-searches/${String(all['id'])}`);
  const text = (await visit(t.context, everything.path)).text;
  t.true(text.includes(mine) && text.includes(outside) && !text.includes(theirs));
  t.is((await ann.client.delete(`/api/saved-searches/${String(search['id'])}`)).status, 204);
  await isLikeUnknown(t, path, 'the search is gone');
});

test('pages speak the language of the visitor, and no session of theirs is used', async (t) => {
  const { admin } = t.context;
  const { path } = await share(admin, `documents/${await givenText(admin, t.context, 'Brief')}`, { password: PASSWORD });
  for (const [language, words] of [
    ['de-AT,de;q=0.9', 'Passwort erforderlich'],
    ['fr', 'Mot de passe requis'],
    ['es-MX', 'Se requiere contraseña'],
    ['pt, en;q=0.5', 'Password required'],
    ['%%%', 'Password required'],
  ] as const) {
    const { text, headers } = await visit(t.context, path, { headers: { 'accept-language': language } });
    t.true(text.includes(`<title>${words}</title>`), language);
    t.regex(String(headers.get('vary')), /Accept-Language/);
  }
  const asAdmin = await admin.request(path);
  t.true((await asAdmin.text()).includes('type="password"'), 'also an administrator is a visitor');
  t.deepEqual(asAdmin.headers.getSetCookie(), []);
});

test('where nobody signs in a password can be given as well, and no log has the token', async (t) => {
  const { log, lines } = makeNotedLogger();
  const api = await startApi({ AUTH_ENABLED: 'false' }, log);
  try {
    const { body } = await api.admin.upload({ name: 'a.txt', bytes: textOf('words') });
    const { path } = await share(api.admin, `documents/${String(body['id'])}`, { password: PASSWORD });
    const headers = { origin: 'null', 'sec-fetch-site': 'same-origin', host: `127.0.0.1:${new URL(api.anyone.url).port}` };
    const given = await visit(api, path, { method: 'POST', body: new URLSearchParams({ password: PASSWORD }), headers });
    t.is(given.status, 303);
    await visit(api, `${path}/documents/x`);
    t.true(lines.some((line) => line.includes('/s/***')));
    t.false(lines.some((line) => line.includes(path.slice('/s/'.length))));
  } finally {
    await api.stop();
  }
});
