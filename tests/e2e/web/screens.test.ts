import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isFullRun } from '@sheaf/testkit';
import { testInChromium, wholeService } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';
import { fillWebLibrary, PASSWORD, type WebLibrary } from '../../support/web-library.ts';
import type { Size } from '../../support/web-page.ts';

const test = testInChromium(async (own) => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'sheaf-web-')));
  own.defer(() => rm(folder, { recursive: true, force: true }));
  const whole = await wholeService({ LOCAL_SOURCE_ROOTS: folder })(own);
  return { ...whole, library: await fillWebLibrary(whole, join(folder, 'papers')) };
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
  ['document-missing', '/documents/00000000-0000-7000-8000-000000000000'],
  ['search', '/search'],
  ['search-hits', '/search?q=rent+OR+bicycle'],
  ['search-nothing', '/search?q=zeppelin'],
  ['trash', '/trash'],
  ['labels', '/labels'],
  ['correspondents', '/correspondents'],
  ['document-types', '/document-types'],
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
  ['not-found', '/no-such-screen'],
];

for (const [size, language] of [
  ['desktop', 'en'],
  ['telephone', 'de'],
] as const satisfies readonly (readonly [Size, string])[])
  test(`no screen has a flaw that axe knows, an error or a sideways scroll: ${size}, ${language}, light and dark`, async (t) => {
    t.timeout(3 * 120_000);
    const { open, served } = t.context;
    await using web = await open({ size, language });
    await web.signIn({ username: 'admin', password: PASSWORD });
    await web.go('/documents');
    const flaws: string[] = [];
    for (const [number, [name, path]] of screensOf(served.library).entries()) {
      // the usual run looks at each screen once, in the sizes by turns, and of each size in the colour schemes by turns
      if (!isFullRun && (number % 2 === 0) !== (size === 'telephone')) continue;
      await web.walk(path);
      const isDark = number % 4 < 2;
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
  const who = { username: 'admin', password: PASSWORD };
  await using web = await open();
  await web.signIn(who);
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
  await small.signIn(who);
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
