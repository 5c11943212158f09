// The whole service on its screens: from the first form to all that there is to see, in one start.
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isFullRun, makePdf } from '@sheaf/testkit';
import { inTurn } from '../../support/full-run.ts';
import { testInChromium, wholeService } from '../../support/in-chromium.ts';
import { germanText, text } from '../../support/messages.ts';
import { fillWebLibrary, PASSWORD, type WebLibrary } from '../../support/web-library.ts';
import type { Size, WebPage } from '../../support/web-page.ts';

const ADMIN = { username: 'admin', password: PASSWORD };

const test = testInChromium(async (own) => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'sheaf-web-')));
  own.defer(() => rm(folder, { recursive: true, force: true }));
  const whole = await wholeService({ LOCAL_SOURCE_ROOTS: folder })(own);
  let filled: Promise<WebLibrary> | undefined;
  return {
    ...whole,
    /** The documents of the administrator, who makes themselves in the first test. */
    library: (): Promise<WebLibrary> => (filled ??= fillWebLibrary(whole, join(folder, 'papers'))),
  };
});

/** What a screen may cost whose files are not in the browser yet. */
interface Cost {
  readonly requests: number;
  readonly bytes: number;
}
const ENTRY: Cost = { requests: 30, bytes: 250_000 };
const DOCUMENTS: Cost = { requests: 40, bytes: 300_000 };
const MOST_SHIFT = 0.02;

interface Weight extends Cost {
  readonly addresses: readonly string[];
}

/** What a screen loads, as it is sent: headers and compressed bodies, from the first request until it stands still. */
const weigh = async (web: WebPage, path: string): Promise<Weight> => {
  const session = await web.context.newCDPSession(web.page);
  await session.send('Network.enable');
  const addresses: string[] = [];
  let bytes = 0;
  session.on('Network.requestWillBeSent', ({ request }) => void addresses.push(request.url));
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await web.go(path);
  await web.settle();
  return { addresses, requests: addresses.length, bytes };
};

const isWithin = ({ requests, bytes }: Weight, most: Cost): boolean => requests <= most.requests && bytes <= most.bytes;
const describe = (name: string, { addresses, requests, bytes }: Weight): string =>
  `${name}: ${requests} requests, ${bytes} bytes\n${addresses.join('\n')}`;

/** What a screen weighs in a window that has not seen the client before. */
const weightOf = async (open: () => Promise<WebPage>, path: string, isSignedIn = false): Promise<Weight> => {
  await using web = await open();
  if (isSignedIn) await web.signIn(ADMIN);
  return await weigh(web, path); // before the window is closed
};

const readsPdfs = ({ addresses }: Weight): boolean => addresses.some((address) => /pdf/.test(address));

test('who comes first makes the administrator, sees that everything is there, puts in a paper and finds it again', async (t) => {
  t.timeout(3 * 120_000);
  const { open } = t.context;
  const weight = await weightOf(() => open({ serviceWorker: true }), '/');
  t.true(isWithin(weight, ENTRY), describe('first run', weight));
  t.false(readsPdfs(weight));
  await using web = await open();
  const { page } = web;
  const flaws: string[] = [];

  await web.go('/');
  flaws.push(...(await web.flaws('first-run')));
  t.is(await page.getByLabel(text('registration.username')).inputValue(), 'admin', 'a name is suggested');
  await page.getByLabel(text('registration.email')).fill('ada@example.org');
  await page.getByLabel(text('registration.password'), { exact: true }).fill('short');
  await page.getByRole('button', { name: text('firstRun.create') }).click();
  await page
    .getByText(text('issues.too_short', { minimum: 8 }))
    .first()
    .waitFor();
  t.is(await page.getByLabel(text('registration.email')).inputValue(), 'ada@example.org', 'a refusal loses nothing that was typed');
  await page.getByLabel(text('registration.password'), { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');

  await page.getByRole('heading', { name: text('firstRun.ready') }).waitFor();
  t.is(new URL(page.url()).pathname, '/welcome');
  for (const part of [text('firstRun.database'), text('firstRun.ocr_engine'), text('firstRun.file_storage')])
    await page.getByText(`${part}: ${text('firstRun.healthy')}`).waitFor();
  flaws.push(...(await web.flaws('first-run-welcome')));

  await page.getByRole('button', { name: text('firstRun.languageSave') }).click();
  await page.getByText(text('firstRun.languageSaved')).waitFor();

  const pdf = makePdf([{ lines: ['A theodolite measures angles'] }, { lines: ['between two points'] }]);
  await page.getByTestId('upload-files').first().setInputFiles({ name: 'instruments.pdf', mimeType: 'application/pdf', buffer: pdf });
  const panel = page.getByRole('region', { name: text('uploads.upload') });
  await panel.locator('[data-upload=read]').waitFor({ timeout: 120_000 });
  await page.getByText(text('firstRun.read', { name: 'instruments.pdf' })).waitFor();
  flaws.push(...(await web.flaws('first-run-read')));

  await page.getByLabel(text('firstRun.findWhat')).fill('theodolites');
  await page.keyboard.press('Enter');
  const hit = page.locator('[data-hit]');
  await hit.waitFor();
  t.deepEqual(await page.locator('main mark').allTextContents(), ['theodolite'], 'the word is marked where it stands');
  flaws.push(...(await web.flaws('first-run-found')));

  await hit.click();
  await page.getByRole('heading', { name: 'instruments', level: 1 }).waitFor();
  await page.getByText('A theodolite measures angles').first().waitFor();

  await page.goto('/');
  await page.getByRole('heading', { name: text('shell.documents'), level: 1 }).waitFor();
  await page.getByText(text('documents.count', { count: 1 }), { exact: true }).waitFor();
  t.deepEqual(flaws, []);
});

test('after that nobody can make another administrator, and who is not signed in is asked to', async (t) => {
  const { open } = t.context;
  await using web = await open({ size: 'telephone', language: 'de-AT' });
  await web.go('/documents?view=grid');
  await web.page.getByRole('heading', { name: germanText('signIn.title') }).waitFor();
  t.is(await web.page.getByRole('button', { name: germanText('firstRun.create') }).count(), 0);
  t.deepEqual(await web.flaws('sign-in'), []);
  await web.page.getByLabel(germanText('signIn.username')).fill('admin');
  await web.page.getByLabel(germanText('registration.password'), { exact: true }).fill(PASSWORD);
  await web.page.keyboard.press('Enter');
  await web.page.getByRole('heading', { name: germanText('shell.documents') }).waitFor();
  t.is(new URL(web.page.url()).search, '?view=grid', 'he is where he wanted to go');
  t.deepEqual(web.offences, []);
});

test('sign-in and the list of documents are light, and nothing that reads PDFs is loaded before one is opened', async (t) => {
  t.timeout(5 * 60_000);
  const { open, served } = t.context;
  await served.library();
  const fresh = (): Promise<WebPage> => open({ serviceWorker: true });
  const [signIn, documents] = [await weightOf(fresh, '/'), await weightOf(fresh, '/documents', true)];
  t.log([signIn, documents].map(({ requests, bytes }) => `${requests} requests, ${bytes} bytes`).join('; '));
  t.true(isWithin(signIn, ENTRY), describe('sign-in', signIn));
  t.true(isWithin(documents, DOCUMENTS), describe('documents', documents));
  t.false([signIn, documents].some(readsPdfs));
});

/** Adds up how far what is seen is moved without anybody having done something. */
const WATCH_SHIFTS = `
  globalThis.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput) globalThis.shifts.push({ value, moved: sources.map(({ node }) => node?.outerHTML?.slice(0, 120) ?? node?.nodeName) });
  }).observe({ type: 'layout-shift', buffered: true });
`;

for (const size of ['desktop', 'telephone'] as const satisfies readonly Size[])
  test(`nothing jumps while a screen is loaded: ${size}`, async (t) => {
    t.timeout(5 * 60_000);
    const { open, served } = t.context;
    const library = await served.library();
    const paths = [
      '/documents',
      '/documents?kinds=application/pdf',
      '/documents?view=grid',
      '/search?q=rent+OR+bicycle',
      `/documents/${library.letter}`,
      `/documents/${library.letter}?q=payment&page=1`,
      `/documents/${library.scan}`,
    ];
    // the usual run loads some of the screens, in the sizes by turns
    for (const path of inTurn(size === 'telephone' ? 0 : 2, 4, paths)) {
      await using web = await open({ size });
      await web.signIn(ADMIN);
      await web.page.addInitScript(WATCH_SHIFTS);
      await web.go(path);
      await web.settle();
      const shifts = await web.page.evaluate<{ value: number; moved: string[] }[]>('globalThis.shifts');
      const sum = shifts.reduce((all, { value }) => all + value, 0);
      t.true(sum < MOST_SHIFT, `${path}: ${sum.toFixed(4)} ${JSON.stringify(shifts, undefined, 1)}`);
    }
  });

/** Every screen of those who are signed in, by the name of its picture. */
const screensOf = ({ letter, scan, failed, source }: WebLibrary): readonly (readonly [name: string, path: string])[] => [
  ['welcome', '/welcome'],
  ['documents', '/documents'],
  ['documents-grid', '/documents?view=grid'],
  ['documents-none', '/documents?from=2001-01-01&to=2001-01-02'],
  ['document', `/documents/${letter}?q=payment&page=1`],
  ['document-scan', `/documents/${scan}`],
  ['document-failed', `/documents/${failed}`],
  ['document-pages', `/documents/${letter}/pages`],
  ['document-missing', '/documents/00000000-0000-7000-8000-000000000000'],
  ['search', '/search'],
  ['search-hits', '/search?q=rent+OR+bicycle'],
  ['search-nothing', '/search?q=zeppelin'],
  ['saved-searches', '/saved-searches'],
  ['shares', '/shares'],
  ['share-target', '/share-target'],
  ['trash', '/trash'],
  ['labels', '/labels'],
  ['correspondents', '/correspondents'],
  ['document-types', '/document-types'],
  ['rules', '/rules'],
  ['sources', '/sources'],
  ['source', `/sources/${source}`],
  ['queue', '/queue'],
  ['ingest', '/ingest'],
  ['notifications', '/notifications'],
  ['settings', '/settings'],
  ['profile', '/profile'],
  ['users', '/users'],
  ['roles', '/users/roles'],
  ['health', '/service-health'],
  ['analytics', '/analytics'],
  ['audit', '/audit'],
  ['deliveries', '/deliveries'],
  ['imports', '/imports'],
  ['system', '/system'],
  ['system-fields', '/system/fields'],
  ['not-found', '/no-such-screen'],
];

for (const [size, language] of [
  ['desktop', 'en'],
  ['telephone', 'de'],
] as const satisfies readonly (readonly [Size, string])[])
  test(`no screen has a flaw that axe knows, an error or a sideways scroll: ${size}, ${language}, light and dark`, async (t) => {
    t.timeout(3 * 120_000);
    const { open, served } = t.context;
    const library = await served.library();
    await using web = await open({ size, language });
    await web.signIn(ADMIN);
    await web.go('/documents');
    const flaws: string[] = [];
    for (const [number, [name, path]] of screensOf(library).entries()) {
      // the usual run looks at every other screen once, in the sizes by turns, and of each size in the colour schemes by turns
      if (!isFullRun && number % 4 !== (size === 'telephone' ? 0 : 2)) continue;
      await web.walk(path);
      const isDark = number % 8 < 4;
      if (isFullRun || !isDark) flaws.push(...(await web.flaws(name)));
      if (isFullRun || isDark) flaws.push(...(await web.flawsInTheDark(name)));
    }
    t.deepEqual(flaws, []);
  });

/** Higher than one line, and less high than two. */
const ONE_LINE_PX = 32;

test('sizes and times of a table stand in one line each; a card leaves out what there is nothing to say of', async (t) => {
  const { open, served } = t.context;
  const admin = await served.anyone.login('admin');
  await admin.post('/api/labels', { name: 'Said in a word' });
  await admin.upload({ name: `${'long'.repeat(40)}.txt`, bytes: new TextEncoder().encode('under a long name') });
  await using web = await open();
  await web.signIn(ADMIN);
  await web.go('/ingest');
  await web.settle();
  const cells = web.page.locator('td:nth-last-child(-n+2) p');
  const heights = await cells.evaluateAll((found: { clientHeight: number }[]) => found.map(({ clientHeight }) => clientHeight));
  t.true(heights.length > 2);
  t.deepEqual(
    heights.filter((height) => height > ONE_LINE_PX),
    [],
  );
  await using small = await open({ size: 'telephone' });
  await small.signIn(ADMIN);
  await small.go('/labels');
  await small.settle();
  const silent = small.page.getByRole('listitem').filter({ hasText: 'Said in a word' });
  await silent.getByText(text('labels.by')).waitFor();
  t.is(await silent.getByText(text('fields.description'), { exact: true }).count(), 0);
});

test('the service has not failed meanwhile', (t) => {
  const { given } = t.context.served;
  t.deepEqual(
    given.service.output.split('\n').filter((line) => / ERROR: /.test(line)),
    [],
  );
});
