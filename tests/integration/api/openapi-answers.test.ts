// The text of the interface against the real answers of a service that has something of everything: each GET of both versions.
import { uuidv7 } from '@sheaf/process';
import { FILLED } from '../../support/filled-database.ts';
import { openChecker } from '../../support/openapi-checker.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi({
  FEATURE_API_V2: 'true',
  RATE_LIMIT_ENABLED: 'true',
  RATE_LIMIT_PER_MINUTE: '1000',
  RATE_LIMIT_UPLOADS_PER_MINUTE: '1000',
  MFA_ENABLED: 'true',
  ENABLE_PER_USER_WATCH: 'true',
});

const NOBODY = '0190f0f0-0000-7000-8000-000000000000';

const idOf = ({ body }: { readonly body: Record<string, unknown> }): string => String(body['id']);

/** One of everything, and what stands in the braces of paths by what they name. */
const fill = async ({ admin, database: { pool } }: RunningApi) => {
  const document = idOf(await admin.upload({ name: 'letter.txt', bytes: new TextEncoder().encode('the words of a letter') }));
  const label = idOf(await admin.post('/api/labels', { name: 'Post', color: '#112233' }));
  await admin.post(`/api/labels/${label}/assign`, { document_ids: [document] });
  const correspondent = idOf(await admin.post('/api/correspondents', { name: 'Bank' }));
  const documentType = idOf(await admin.post('/api/document-types', { name: 'Letter' }));
  await admin.send('PATCH', `/api/documents/${document}`, { correspondent_id: correspondent, document_type_id: documentType });
  const tax = idOf(await admin.post('/api/labels', { name: 'Tax', color: '#112233' }));
  const rule = idOf(await admin.post('/api/rules', { name: 'Letters', filters: { label_ids: [label] }, actions: [{ add_label: tax }] }));
  await admin.post(`/api/rules/${rule}/apply`, {});
  const trashed = idOf(await admin.upload({ name: 'old.txt', bytes: new TextEncoder().encode('an old letter') }));
  await admin.delete(`/api/documents/${trashed}`);
  const source = idOf(
    await admin.post('/api/sources', { name: 'Cloud', type: 'webdav', url: 'https://dav.example.org/', username: 'a', password: 'b' }),
  );
  await admin.post(`/api/sources/${source}/sync`, {});
  await admin.post('/api/keys', { name: 'key', scope: ['documents.read'] });
  const user = idOf(await admin.get('/api/auth/me'));
  const field = idOf(await admin.post('/api/fields', { name: 'Price', type: 'amount' }));
  await admin.send('PATCH', `/api/documents/${document}`, { fields: { Price: '12.50 EUR' } });
  await pool.query(`insert into document_pages (document_id, page, content, confidence, origin) values ($1, 1, 'words', 0.9, 'text')`, [
    document,
  ]);
  const texts = ['profile', 'number', 'type_code', 'issue_date', 'due_date', 'currency', 'grand_total', 'payable'];
  await pool.query(
    `insert into document_einvoices (document_id, invoice, rules, violations, attachments, differences) values ($1, $2, 'sums', $3, $4, $5)`,
    [
      document,
      {
        syntax: 'UBL',
        buyer: { name: 'Buyer' },
        ...Object.fromEntries(texts.map((name) => [name, 'x'])),
        seller: { name: 'Seller', trading_name: null, vat_id: null, iban: null },
      },
      JSON.stringify([{ code: 'BR-CO-10', message: 'the sum' }]),
      JSON.stringify([{ number: 1, name: 'a.txt', description: null, mime_type: null, size: 3, is_embedded: false }]),
      JSON.stringify([{ field: 'number', xml: 'x', page: null }]),
    ],
  );
  await pool.query(`insert into notifications (id, user_id, type, title, message) values ($1, $2, 'alert', 'Full', 'A disk is full')`, [
    FILLED.source,
    user,
  ]);
  await pool.query(
    `insert into deliveries (id, notification_id, channel, recipient, payload, state) values ($1, $2, 'email', 'a@example.org', $3, 'failed')`,
    [FILLED.label, FILLED.source, { type: 'alert', timestamp: '', data: { id: FILLED.source, user_id: user, title: '', message: '' } }],
  );
  await admin.post(`/api/users/${user}/watch-directory`, { ensure_created: true });
  const { rows } = await pool.query<{ id: string }>('select id from ocr_jobs');
  const ticket = String((await admin.post('/api/documents/bulk-download/tickets', { ids: [document] })).body['ticket']);
  const imported = uuidv7();
  await pool.query("insert into user_imports (id, state, total, finished_at) values ($1, 'completed', 0, now())", [imported]);
  await pool.query(
    `insert into imports (id, kind, source, state, report, finished_at) values ($1, 'folder', 'folder', 'failed', $2, now())`,
    [imported, JSON.stringify([{ kind: 'file', name: 'a', document: null, reason: 'b' }])],
  );
  const savedSearch = idOf(await admin.post('/api/saved-searches', { name: 'letters', query: 'letter', is_pinned: true }));
  const job = rows[0]?.id ?? '';
  return { document, ticket, label, correspondent, documentType, field, rule, source, trashed, user, savedSearch, imported, job };
};

type Ids = Awaited<ReturnType<typeof fill>>;

/** The address of an operation with what has to be asked, and what it answers here where that is not 200. */
const questionOf = (path: string, ids: Ids): { address: string; status: number } => {
  const own = [
    ['/documents/', ids.document],
    ['/labels/', ids.label],
    ['/fields/', ids.field],
    ['/rules/', ids.rule],
    ['/correspondents/', ids.correspondent],
    ['/document-types/', ids.documentType],
    ['/sources/', ids.source],
    ['/users/imports/', ids.imported],
    ['/imports/', ids.imported],
    ['/queue/', ids.job],
    ['/trash/', ids.trashed],
    ['/saved-searches/', ids.savedSearch],
  ] as const;
  const one = own.find(([part]) => path.includes(part))?.[1] ?? NOBODY;
  const filled = path
    .replace('{user_id}', ids.user)
    .replace('{email}', 'admin@example.org')
    .replace('{source_id}', ids.source)
    .replace('{file}', 'swagger-ui.css')
    .replace('{page}', '1')
    .replace('{number}', '1')
    .replace('{version}', '1')
    .replace('{other}', '1')
    .replace('{ticket}', ids.ticket)
    .replaceAll(/\{\w+\}/g, one);
  const address = /\/search$|\/suggest$/.test(path) ? `${filled}?q=letter` : filled;
  return { address, status: STATUS.find(([end]) => path.endsWith(end))?.[1] ?? 200 };
};

/** What has nothing to show here: a text has no PDF and is no invoice, and no provider of identities is set up. */
const STATUS: readonly (readonly [end: string, status: number])[] = [
  ['/preview', 404],
  ['/einvoice/view', 404],
  ['/einvoice/attachments/{number}', 404],
  ['/auth/oidc/login', 404],
  ['/auth/oidc/callback', 404],
  ['/auth/saml/login', 404],
  ['/auth/saml/metadata', 404],
  ['/health/auth/oidc', 404],
  ['/auth/verify-email', 400],
  ['/s/{token}', 404],
  ['/s/{token}/documents/{id}', 404],
  ['/s/{token}/documents/{id}/pages/{page}', 404],
  ['/s/{token}/documents/{id}/download', 404],
];

let ids: Ids | undefined;

for (const version of ['v1', 'v2'] as const) {
  test.serial(`every GET of ${version} answers what the text says: status, headers and body, and so do its errors`, async (t) => {
    const { admin, anyone } = t.context;
    ids ??= await fill(t.context);
    const base = version === 'v1' ? '/api' : '/api/v2';
    const { check, operations } = await openChecker(t, `${base}/openapi.json`);
    const gets = operations.filter((name) => name.startsWith('get ')).map((name) => name.slice('get '.length));
    t.true(gets.length > 40);
    for (const path of gets) {
      const { address, status } = questionOf(path, ids);
      await check('get', path, status, await admin.request(address));
      // a name that it does not know; where a feature is off nothing is looked at
      const wrong = await admin.request(`${address}${address.includes('?') ? '&' : '?'}unknown=1`);
      t.true(wrong.status === 400 || wrong.status === status, path);
      await check('get', path, wrong.status, wrong);
      const byNobody = await anyone.request(address);
      if (byNobody.status === 401) await check('get', path, 401, byNobody);
    }
    await check('get', `${base}/documents/{id}`, 404, await admin.request(`${base}/documents/${NOBODY}`));
    const viewer = await admin.register(`viewer-${version}`, 'viewer');
    await check('get', `${base}/users`, 403, await viewer.request(`${base}/users`));
  });
}
