import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makePdf } from '@sheaf/testkit';
import test from 'ava';
import type { Page } from 'puppeteer-core';
import { testWhere } from '../../support/conditional-test.ts';
import { hasFirefox, launchFirefox } from '../../support/firefox.ts';
import { wholeService } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';
import { waitFor } from '../../support/wait-for.ts';

const PASSWORD = 'correct horse battery';
const LINE = 'A theodolite measures angles';

/** How much of the first canvas is dark: the letters that were drawn. */
const DARK_PIXELS = `(() => {
  const canvas = document.querySelector('main canvas');
  if (canvas === null || canvas.width === 0) return 0;
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  return data.reduce((count, value, index) => count + (index % 4 === 0 && value < 128 && data[index + 3] > 0 ? 1 : 0), 0);
})()`;

const heading = (page: Page, words: string): Promise<unknown> => page.locator(`h1::-p-text(${words})`).wait();

testWhere(
  hasFirefox,
  'firefox is not installed',
  test,
)('in Firefox one signs in, puts in a paper, finds it in the list with the keys, sees its page, and searches for it', async (t) => {
  t.timeout(5 * 60_000);
  await using own = new AsyncDisposableStack();
  const { url, anyone, given } = await wholeService()(own);
  await anyone.register('admin');
  const file = join(given.folder, 'instruments.pdf');
  await writeFile(file, makePdf([{ lines: [LINE] }]));
  const browser = own.adopt(await launchFirefox(), (opened) => opened.close());
  const page = await browser.newPage();
  page.setDefaultTimeout(120_000); // a busy machine has other tests to run
  await page.setViewport({ width: 1_280, height: 800 });
  const errors: string[] = [];
  page.on('pageerror', (error) => void errors.push(String(error)));

  await page.goto(url);
  await page.locator('input[autocomplete=username]').fill('admin');
  await page.locator('input[autocomplete=current-password]').fill(PASSWORD);
  await page.locator('button[type=submit]').click();
  await heading(page, text('shell.documents'));

  const input = await page.waitForSelector('[data-testid=upload-files]');
  await (input as Awaited<ReturnType<typeof page.$<'input'>>>)?.uploadFile(file);
  await page.locator('[data-upload=read]').wait();

  const row = page.locator('[role=row][aria-label^="instruments,"]');
  await row.wait();
  await page.focus('[role=row][tabindex="0"]');
  await page.keyboard.press('x');
  await page.locator('[role=row][aria-selected=true]').wait();
  await page.keyboard.press('Escape');
  await page.locator('[role=row][aria-selected=false]').wait();
  await page.keyboard.press('Enter');
  await heading(page, 'instruments');
  await waitFor(async () => Number(await page.evaluate(DARK_PIXELS)) > 100, {
    description: 'the page to be drawn',
    limitMs: 60_000,
    everyMs: 200,
  });
  await page.locator(`main ::-p-text(${LINE})`).wait();
  await page.goBack();
  await page.waitForFunction("document.activeElement.getAttribute('aria-label')?.startsWith('instruments,')");

  await page.keyboard.press('/');
  await page.keyboard.type('theodolites');
  await page.keyboard.press('Enter');
  await page.locator('[data-hit]').wait();
  t.is(await page.$eval('main mark', ({ textContent }) => textContent), 'theodolite');
  await page.locator('[data-hit]').click();
  await heading(page, 'instruments');
  t.deepEqual(errors, []);
});
