import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/node-postgres';
import type { Browser, BrowserContext } from 'playwright-core';
import { launchChromium, whyNoBrowser } from '../support/chromium.ts';
import { openBenchService } from './bench-service.ts';
import { fillLibrary, LIBRARY } from './list-library.ts';
import { machineLine } from './machine.ts';
import { benchLoad } from './web-load.ts';
import { benchScroll } from './web-scroll.ts';
import { benchUpload } from './web-upload.ts';

const DOCUMENTS = 100_000;
const PAGE = join(import.meta.dirname, '../../apps/web/dist/index.html');
const PARTS = ['load', 'scroll', 'upload'] as const;

/** The web client in Chromium against the whole service with a large library: how soon, how smooth, how current. */
export const run = async (args: readonly string[]): Promise<void> => {
  const missing = whyNoBrowser() ?? (existsSync(PAGE) ? undefined : 'the web client is not built: run ./setup');
  if (missing !== undefined) throw new Error(missing);
  const wanted = PARTS.filter((part) => args.length === 0 || args.includes(part));
  console.log(`the web client in headless Chromium on the machine of the service; ${machineLine()}`);
  await using bench = await openBenchService({ RATE_LIMIT_ENABLED: 'false' });
  const { pool } = bench;
  await fillLibrary({ pool, db: drizzle(pool) }, DOCUMENTS);
  const anyOf = async (mimeType: string): Promise<string> => {
    const { rows } = await pool.query<{ id: string }>('select id from documents where mime_type = $1 order by id desc limit 1', [mimeType]);
    return rows[0]?.id ?? '';
  };
  const documents = { 'a text': await anyOf('text/plain'), 'a PDF': await anyOf('application/pdf') };
  await using resources = new AsyncDisposableStack();
  const browser = resources.adopt(await launchChromium(), (opened) => opened.close());
  const baseURL = bench.admin.url;
  const openOutside = (from: Browser): Promise<BrowserContext> =>
    from.newContext({ baseURL, viewport: { width: 1_280, height: 800 }, locale: 'en' });
  const openInside = async (from: Browser): Promise<BrowserContext> => {
    const context = await openOutside(from);
    const data = { username: LIBRARY.admin, password: LIBRARY.password, cookie: true };
    const response = await context.request.post('/api/auth/login', { data });
    if (!response.ok()) throw new Error(`cannot sign in: ${response.status()}`);
    return context;
  };
  const inPage = async (work: (page: Awaited<ReturnType<BrowserContext['newPage']>>) => Promise<void>): Promise<void> => {
    const context = await openInside(browser);
    await work(await context.newPage());
    await context.close();
  };
  if (wanted.includes('load')) await benchLoad(browser, openOutside, openInside, documents);
  if (wanted.includes('scroll')) await inPage((page) => benchScroll(page, DOCUMENTS));
  if (wanted.includes('upload')) await inPage(benchUpload);
};
