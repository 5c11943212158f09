import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isFullRun } from '@sheaf/testkit';
import { testInChromium, wholeService } from '../../support/in-chromium.ts';
import { fillWebLibrary, PASSWORD, type WebLibrary } from '../../support/web-library.ts';
import type { Size, WebPage } from '../../support/web-page.ts';

/** What a screen may cost whose files are not in the browser yet. */
interface Cost {
  readonly requests: number;
  readonly bytes: number;
}
const ENTRY: Cost = { requests: 30, bytes: 250_000 };
const DOCUMENTS: Cost = { requests: 40, bytes: 300_000 };
const MOST_SHIFT = 0.02;

const ADMIN = { username: 'admin', password: PASSWORD };

const test = testInChromium(async (own) => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'sheaf-weight-')));
  own.defer(() => rm(folder, { recursive: true, force: true }));
  const whole = await wholeService({ LOCAL_SOURCE_ROOTS: folder })(own);
  return { ...whole, fill: (): Promise<WebLibrary> => fillWebLibrary(whole, join(folder, 'papers')) };
});

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

let library: WebLibrary | undefined;

test('the first screens are light, and nothing that reads PDFs is loaded before one is opened', async (t) => {
  t.timeout(5 * 60_000);
  const { open, served } = t.context;
  const weightOf = async (path: string, isSignedIn = false): Promise<Weight> => {
    await using web = await open({ serviceWorker: true });
    if (isSignedIn) await web.signIn(ADMIN);
    return await weigh(web, path); // before the window is closed
  };
  const firstRun = await weightOf('/');
  library = await served.fill();
  const signIn = await weightOf('/');
  const documents = await weightOf('/documents', true);
  t.log([firstRun, signIn, documents].map(({ requests, bytes }) => `${requests} requests, ${bytes} bytes`).join('; '));
  t.true(isWithin(firstRun, ENTRY), describe('first run', firstRun));
  t.true(isWithin(signIn, ENTRY), describe('sign-in', signIn));
  t.true(isWithin(documents, DOCUMENTS), describe('documents', documents));
  t.false(
    [firstRun, signIn, documents].some(({ addresses }) => addresses.some((address) => /pdf/.test(address))),
    'PDFs',
  );
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
    library ??= await served.fill();
    const paths = [
      '/documents',
      '/documents?kinds=application/pdf',
      '/documents?view=grid',
      '/search?q=rent+OR+bicycle',
      `/documents/${library.letter}`,
      `/documents/${library.letter}?q=payment&page=1`,
      `/documents/${library.scan}`,
    ];
    // the usual run loads each screen in one of the sizes by turns
    for (const path of paths.filter((_, number) => isFullRun || (number % 2 === 0) === (size === 'telephone'))) {
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
