// `npm run docs:screenshots`: takes the pictures of docs/images from a service with sample documents.
import { join } from 'node:path';
import { type ApiClient, makePdf, makeServiceFolder, RunningService } from '@sheaf/testkit';
import type { BrowserContext } from 'playwright-core';
import { launchChromium } from './support/chromium.ts';

const IMAGES = join(import.meta.dirname, '../docs/images');
const SIZE = { width: 1_280, height: 800 };
const PASSWORD = 'correct horse battery';

const LABELS = [
  ['Invoice', '#e8590c'],
  ['Contract', '#1971c2'],
  ['Tax', '#2f9e44'],
  ['Rent', '#9c36b5'],
] as const;

const DOCUMENTS = [
  ['Electricity invoice March', ['Invoice'], ['Municipal electricity', 'Invoice 2026-0315', 'The payment is due within 14 days.']],
  ['Electricity invoice April', ['Invoice'], ['Municipal electricity', 'Invoice 2026-0415', 'The payment is due within 14 days.']],
  ['Rental agreement', ['Contract', 'Rent'], ['Rental agreement', 'The rent is 800 a month, payment by the third day.']],
  ['Tax assessment 2025', ['Tax'], ['Tax office', 'Assessment for 2025', 'A refund of 312.50 will be paid.']],
  ['Insurance policy', ['Contract'], ['Household insurance', 'The annual payment is 96.00.']],
  ['Telephone invoice', ['Invoice'], ['Telephone', 'Invoice 77-1204', 'Payment by direct debit.']],
  ['Bicycle offer', [], ['Offer', 'A bicycle with eleven gears, delivered in May.']],
  ['Employment contract', ['Contract'], ['Employment contract', 'Between the company and the employee.']],
] as const;

const fill = async (admin: ApiClient): Promise<void> => {
  const ids = new Map<string, string>();
  for (const [name, color] of LABELS) ids.set(name, String((await admin.post('/api/labels', { name, color })).body['id']));
  for (const [title, labels, lines] of DOCUMENTS) {
    const file = { name: `${title}.pdf`, bytes: new Uint8Array(makePdf([{ lines: [title, ...lines] }, { lines }])) };
    const fields = labels.length === 0 ? { title } : { title, labels: labels.map((name) => ids.get(name)).join(',') };
    await admin.waitForEnd(String((await admin.upload(file, fields)).body['id']));
  }
};

/** Takes the picture of one screen once it asks for nothing more. */
const take = async (context: BrowserContext, url: string, name: string): Promise<void> => {
  const page = await context.newPage();
  await page.goto(url, { waitUntil: 'networkidle' });
  await page.screenshot({ path: join(IMAGES, `${name}.png`) });
  await page.close();
};

await using folder = await makeServiceFolder();
await using service = new RunningService({ folder: folder.path });
const anyone = await service.ready();
await fill(await anyone.register('admin'));

const browser = await launchChromium();
try {
  const context = await browser.newContext({ viewport: SIZE, locale: 'en-US', colorScheme: 'light', reducedMotion: 'reduce' });
  const login = await context.request.post(`${anyone.url}/api/auth/login`, {
    data: { username: 'admin', password: PASSWORD, cookie: true },
  });
  if (!login.ok()) throw new Error(`the sign-in was answered with ${login.status()}`);
  await take(context, `${anyone.url}/documents`, 'documents');
  await take(context, `${anyone.url}/search?q=payment`, 'search');
} finally {
  await browser.close();
}
