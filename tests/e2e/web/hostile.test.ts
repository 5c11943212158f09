import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isFullRun, makePdf } from '@sheaf/testkit';
import { apiAlone, testInChromium, wholeService } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';
import { processWaiting } from '../../support/processed-document.ts';
import { waitFor } from '../../support/wait-for.ts';

const PASSWORD = 'correct horse battery';
const MARKUP = '<img src=x onerror=alert(1)></script><script>alert(2)</script><a href="javascript:alert(3)">';
const BIDI = '\u202Egnp.elif \u2066\u05D0\u05D1\u05D2\u2069 🎷👩‍👩‍👧‍👦 e\u0301\u0301\u0301';
const LONG_WORD = 'W'.repeat(10_000);
/** As much of all of it as fits into `length` characters. */
const nasty = (length: number): string => `${MARKUP} ${BIDI} ${LONG_WORD}`.slice(0, length);
/** A name that a file may have. */
const FILE_NAME = `${MARKUP.replaceAll('/', '∕')} ${BIDI}`.slice(0, 120);

/** The usual run has the api alone, and puts in what the other processes would have found. */
const startService = async (folder: string, own: AsyncDisposableStack) => {
  const environment = { LOCAL_SOURCE_ROOTS: folder, ALLOWED_FILE_TYPES: 'txt,pdf' };
  if (!isFullRun) return apiAlone(environment)(own);
  const whole = await wholeService(environment)(own);
  return { ...whole, database: whole.given.database, admin: await whole.anyone.register('admin') };
};

const test = testInChromium(async (own) => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'sheaf-hostile-')));
  own.defer(() => rm(folder, { recursive: true, force: true }));
  const service = await startService(folder, own);
  const { admin, database } = service;
  const { pool } = database;
  await admin.register('mallory', 'editor');
  const label = await admin.post('/api/labels', { name: nasty(100), description: nasty(400), color: '#123456' });
  await admin.send('PATCH', '/api/users/profile', { display_name: nasty(200) });
  await admin.post('/api/keys', { name: nasty(100), scope: ['documents.read'] });
  const put = async (name: string, bytes: Uint8Array<ArrayBuffer>, words: string, fields: Readonly<Record<string, string>> = {}) => {
    const { status, body } = await admin.upload({ name, bytes }, fields);
    if (status !== 201) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`);
    const id = String(body['id']);
    if (isFullRun) await admin.waitForEnd(id);
    else await processWaiting(database.db, id, words);
    return id;
  };
  const words = `findme ${MARKUP}\n${BIDI}\n${LONG_WORD}`;
  const textId = await put(`${FILE_NAME}.txt`, new TextEncoder().encode(words), words, {
    title: `findme ${nasty(900)}`,
    labels: String(label.body['id']),
  });
  await admin.send('PATCH', `/api/documents/${textId}`, { metadata: { [nasty(60)]: nasty(2_000), nested: { [MARKUP]: [MARKUP] } } });
  const line = `findme ${MARKUP}`;
  const pdf = await put('page.pdf', new Uint8Array(makePdf([{ lines: [line] }])), line);
  const broken = await put('broken.pdf', new TextEncoder().encode('%PDF-1.4 broken'), '', { title: nasty(500) });
  if (!isFullRun) await pool.query(`update documents set status = 'failed', error_code = 'FILE_CORRUPT' where id = $1`, [broken]);
  await mkdir(join(folder, 'in'));
  await writeFile(join(folder, 'in', `${FILE_NAME}.txt`.slice(-80)), 'some words');
  const source = String(
    (await admin.post('/api/sources', { name: nasty(100), type: 'local_folder', settings: { path: join(folder, 'in') } })).body['id'],
  );
  await admin.post(`/api/sources/${source}/sync`, {});
  if (isFullRun)
    await waitFor(async () => (await admin.get(`/api/sources/${source}`)).body['document_count'] === 1, {
      description: 'the source to be synced',
      limitMs: 30_000,
      everyMs: 100,
    });
  // what no interface lets in, but the outside world may say
  await pool.query('update users set display_name = $1', [nasty(200)]);
  await pool.query('update sources set last_error = $1, failures = 3', [nasty(1_000)]);
  await pool.query('update notifications set title = $1, message = $2', [nasty(200), nasty(1_000)]);
  await pool.query('update ingest_ledger set path = $1, reason = $2', [nasty(2_000), nasty(500)]);
  await pool.query('update sessions set user_agent = $1', [nasty(500)]);
  await pool.query(`update audit_log set actor_name = $1, details = jsonb_build_object($2::text, $3::text)`, [
    nasty(64),
    nasty(50),
    nasty(1_000),
  ]);
  await pool.query(
    `insert into deliveries (id, notification_id, channel, recipient, payload, state, attempts, last_error)
      select gen_random_uuid(), id, 'email', $1, jsonb_build_object('type', type, 'timestamp', created_at, 'data', jsonb_build_object('user_id', user_id)),
        'failed', 5, $2 from notifications`,
    [nasty(200), nasty(1_000)],
  );
  await pool.query(`insert into alerts (component, level, message) values ($1, 'warning', $2)`, [`disk:${nasty(50)}`, nasty(500)]);
  return { ...service, textId, pdf, source };
});

const ADMIN = { username: 'admin', password: PASSWORD };
/** What markup of strangers would leave in the page, were it taken for markup. */
const TRACES = `document.querySelectorAll('img[src="x"], [onerror], a[href^="javascript:"], main script').length`;

// the narrow one is where long names break first
for (const size of isFullRun ? (['desktop', 'telephone'] as const) : (['telephone'] as const))
  test(`names, titles, errors and texts of strangers stay text on every screen and break no layout: ${size}`, async (t) => {
    t.timeout(3 * 120_000);
    const { open, served } = t.context;
    const { textId, pdf, source } = served;
    await using web = await open({ size });
    const { page } = web;
    await web.signIn(ADMIN);
    // what the parts of the service say of themselves may come from elsewhere too
    await page.route('**/api/health/detailed', async (route) => {
      const response = await route.fetch();
      const { components, ...rest } = (await response.json()) as { readonly components: Readonly<Record<string, object>> };
      const spoken = Object.entries(components).map(([name, component]) => [name, { ...component, message: nasty(500) }]);
      await route.fulfill({ response, json: { ...rest, components: Object.fromEntries(spoken) } });
    });
    await web.go('/documents');
    const flaws: string[] = [];
    const query = encodeURIComponent(`findme ${MARKUP}`);
    for (const [name, path] of [
      ['documents', '/documents'],
      ['grid', '/documents?view=grid'],
      ['filters', `/documents?status=${query}&labels=${query}&source=${query}&from=x&sort=${query}`],
      ['text', `/documents/${textId}?q=${query}`],
      ['pdf', `/documents/${pdf}?page=99999&q=${query}`],
      ['address', `/documents/${query}`],
      ['search', '/search?q=findme'],
      ['search-markup', `/search?q=${query}&kinds=${query}&labels=${query}&page=-1`],
      ['search-long', `/search?q=${LONG_WORD.slice(0, 1_500)}&fuzzy=true`],
      ['labels', '/labels'],
      ['sources', '/sources'],
      ['source', `/sources/${source}`],
      ['queue', '/queue'],
      ['ingest', '/ingest'],
      ['notifications', '/notifications'],
      ['profile', '/profile'],
      ['users', '/users'],
      ['health', '/service-health'],
      ['analytics', '/analytics'],
      ['audit', `/audit?action=${query}`],
      ['audit-all', '/audit'],
      ['deliveries', '/deliveries'],
      ['not-found', `/${query}`],
    ] as const) {
      await web.walk(path);
      flaws.push(...(await web.flaws(`hostile-${name}`, 'but axe')));
      if ((await page.evaluate(TRACES)) !== 0) flaws.push(`${name}: markup has become elements`);
    }
    t.deepEqual(flaws, []);
    await web.walk('/search?q=findme');
    await page.locator('main [data-hit]').first().waitFor();
    t.true((await page.locator('main').textContent())?.includes('<img src=x onerror=alert(1)>'), 'the markup is there, as text');
  });

test('dialogs, the upload list and what is told in passing show such names as text too', async (t) => {
  const { open } = t.context;
  await using web = await open({ size: 'telephone' });
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go('/documents');
  const name = `${FILE_NAME}.exe`;
  await page
    .getByTestId('upload-files')
    .first()
    .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from('MZ') });
  await page.locator('[data-upload=failed]').waitFor();
  const flaws = [...(await web.flaws('hostile-upload'))];
  await web.walk('/labels');
  await page.getByRole('button', { name: new RegExp(`^${text('labels.edit')} <img`) }).click();
  await page.getByRole('dialog').waitFor();
  flaws.push(...(await web.flaws('hostile-dialog')));
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: new RegExp(`^${text('labels.remove')} <img`) }).click();
  await page.getByRole('button', { name: text('common.undo') }).waitFor();
  flaws.push(...(await web.flaws('hostile-undo')));
  await page.getByRole('button', { name: text('common.undo') }).click();
  const field = page.getByRole('combobox', { name: text('search.placeholder') });
  await field.fill('findme');
  await page
    .getByRole('option', { name: /<img src=x/ })
    .first()
    .waitFor();
  flaws.push(...(await web.flaws('hostile-suggestions')));
  await field.press('Escape');
  await web.walk('/notifications');
  await page.getByRole('button', { name: new RegExp(`^${text('notificationScreen.title')}`) }).click();
  await page.getByText(text('notificationScreen.showAll')).waitFor();
  flaws.push(...(await web.flaws('hostile-bell')));
  t.is(await page.evaluate(TRACES), 0);
  t.deepEqual(flaws, []);
});

test('the page runs no script but its own, and reaches no other host, whatever gets into it', async (t) => {
  const { open, served } = t.context;
  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  const response = await page.goto(`${served.url}/documents`);
  const policy = response?.headers()['content-security-policy'] ?? '';
  const rules = new Map(policy.split('; ').map((rule) => [rule.split(' ')[0] ?? '', rule.split(' ').slice(1)]));
  t.deepEqual(rules.get('default-src'), ["'none'"]);
  t.deepEqual(rules.get('script-src'), ["'self'", "'wasm-unsafe-eval'"]);
  t.deepEqual(rules.get('connect-src'), ["'self'"]);
  t.regex(String(rules.get('frame-ancestors')), /^'(?:none|self)'$/);
  t.deepEqual(rules.get('base-uri'), ["'none'"]);
  for (const [rule, values] of rules)
    for (const value of values)
      t.regex(value, /^('none'|'self'|'nonce-[\w+/=]+'|'wasm-unsafe-eval'|data:|blob:)$/, `${rule} names no other host`);
  t.is(response?.headers()['x-content-type-options'], 'nosniff');
  await page.getByRole('heading', { name: text('documents.title'), level: 1 }).waitFor();
  t.deepEqual(web.offences, []);

  const elsewhere: string[] = [];
  await page.route(
    (url) => url.origin !== new URL(served.url).origin,
    (route) => {
      elsewhere.push(route.request().url());
      return route.abort();
    },
  );
  await page.evaluate(`(() => {
    const script = document.createElement('script');
    script.textContent = 'globalThis.taken = "an inline script"';
    const far = document.createElement('script');
    far.src = 'https://far.example.org/script.js';
    const box = document.createElement('div');
    box.innerHTML = '<img src="x" onerror="globalThis.taken = \\'a handler\\'"><a id="link" href="javascript:globalThis.taken = 1">link</a>'
      + '<iframe src="https://far.example.org/"></iframe><img src="https://far.example.org/pixel.png">';
    document.body.append(script, far, box);
    document.querySelector('#link').click();
  })()`);
  const refused = await page.evaluate("fetch('https://far.example.org/').then(() => 'answered', () => 'refused')");
  const evaluated = await page.evaluate(
    "new Promise((done) => { setTimeout('globalThis.taken = 2', 0); setTimeout(() => done(globalThis.taken ?? 'nothing'), 100); })",
  );
  t.is(refused, 'refused');
  t.is(evaluated, 'nothing');
  t.deepEqual(elsewhere, []);
});
