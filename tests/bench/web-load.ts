import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { waitFor } from '@sheaf/process';
import type { Browser, BrowserContext } from 'playwright-core';
import { median } from './median.ts';
import { noteUsable, scriptsUntil } from './web-probe.ts';

const CLIENT = join(import.meta.dirname, '../../apps/web/dist');
const ROUNDS = 5;
const LIMITS = { firstMs: 1_000, firstKb: 180, furtherKb: 90 } as const;
/** After this time a screen has loaded what it loads when nothing else is to be done. */
const LATER_MS = 2_500;

const SIGN_IN = 'input[autocomplete="username"]';
const FIRST_ROW = '.document-title';
const HEADING = 'h1';
/** Every other screen but that of a document. */
const SCREENS = [
  '/search?q=invoice',
  '/labels',
  '/sources',
  '/queue',
  '/ingest',
  '/notifications',
  '/analytics',
  '/users',
  '/service-health',
  '/audit',
  '/deliveries',
  '/system',
  '/profile',
  '/settings',
  '/welcome',
];

interface Load {
  readonly usableMs: number;
  /** Begun before that moment. */
  readonly scripts: readonly string[];
  readonly later: readonly string[];
}

export type OpenContext = (browser: Browser) => Promise<BrowserContext>;

/** Loads an address with nothing in any cache. */
const load = async (context: BrowserContext, path: string, selector: string): Promise<Load> => {
  const page = await context.newPage();
  await page.addInitScript(noteUsable(selector));
  await page.goto(path, { waitUntil: 'commit' });
  // the page allows no eval, which its own waiting would need
  const usableMs = await waitFor(() => page.evaluate<number | undefined>('probe.usableAt'), {
    description: `${path} to be usable`,
    limitMs: 60_000,
    everyMs: 50,
  });
  const scripts = await page.evaluate<string[]>(scriptsUntil('probe.usableAt'));
  await page.waitForTimeout(LATER_MS);
  const all = await page.evaluate<string[]>(scriptsUntil('Infinity'));
  await context.close();
  return { usableMs, scripts, later: all.filter((name) => !scripts.includes(name)) };
};

const sizes = new Map<string, number>();
const gzipBytes = async (name: string): Promise<number> => {
  const known = sizes.get(name) ?? gzipSync(await readFile(join(CLIENT, name)), { level: 9 }).length;
  sizes.set(name, known);
  return known;
};
const kbOf = async (names: readonly string[]): Promise<number> =>
  (await Promise.all(names.map(gzipBytes))).reduce((sum, bytes) => sum + bytes, 0) / 1_000;

const verdict = (isReached: boolean): string => (isReached ? 'reached' : 'MISSED');

const measureFirst = async (name: string, browser: Browser, open: OpenContext, path: string, selector: string): Promise<Load> => {
  const loads: Load[] = [];
  for (let round = 0; round < ROUNDS; round += 1) loads.push(await load(await open(browser), path, selector));
  const ms = median(loads.map(({ usableMs }) => usableMs)) ?? 0;
  const most = loads.toSorted((a, b) => b.scripts.length - a.scripts.length)[0];
  if (most === undefined) throw new Error('nothing was loaded');
  const kb = await kbOf(most.scripts);
  console.log(
    `  ${name.padEnd(18)} usable after ${ms.toFixed(0).padStart(4)} ms (at most ${LIMITS.firstMs}: ${verdict(ms <= LIMITS.firstMs)}), ` +
      `${loads.map(({ usableMs }) => usableMs.toFixed(0)).join(' ')}; ${kb.toFixed(1)} kB of script in ${most.scripts.length} files ` +
      `(at most ${LIMITS.firstKb}: ${verdict(kb <= LIMITS.firstKb)}), ${(await kbOf(most.later)).toFixed(1)} kB afterwards`,
  );
  return most;
};

/** Times and sizes of the first screens with a cold cache, and what each other screen loads beyond the first. */
export const benchLoad = async (
  browser: Browser,
  openOutside: OpenContext,
  openInside: OpenContext,
  documents: Readonly<Record<string, string>>,
): Promise<void> => {
  console.log(`cold loads, median of ${ROUNDS}; sizes by gzip -9, though brotli is sent`);
  await measureFirst('sign-in', browser, openOutside, '/', SIGN_IN);
  const first = await measureFirst('list of documents', browser, openInside, '/documents', FIRST_ROW);
  console.log(
    '  each other screen, opened by its address: kB of script beyond that of the list until its heading is shown, and until it rests',
  );
  let worst = { name: '', kb: 0 };
  const screens = [
    ...SCREENS.map((path) => [path.replace(/\?.*/, ''), path]),
    ...Object.entries(documents).map(([kind, id]) => [kind, `/documents/${id}`]),
  ];
  for (const [name = '', path = ''] of screens) {
    const { usableMs, scripts, later } = await load(await openInside(browser), path, HEADING);
    const [until, all] = [scripts, [...scripts, ...later.filter((name) => !first.later.includes(name))]].map((names) =>
      names.filter((name) => !first.scripts.includes(name)),
    );
    const kb = await kbOf(until ?? []);
    if (kb > worst.kb) worst = { name, kb };
    console.log(
      `    ${name.padEnd(16)} ${kb.toFixed(1).padStart(5)} ${(await kbOf(all ?? [])).toFixed(1).padStart(6)}  after ${usableMs.toFixed(0)} ms`,
    );
  }
  console.log(
    `  the most: ${worst.name} with ${worst.kb.toFixed(1)} kB (at most ${LIMITS.furtherKb}: ${verdict(worst.kb <= LIMITS.furtherKb)})`,
  );
};
