import { waitFor } from '@sheaf/process';
import type { Page } from 'playwright-core';
import { NOTE_UPLOADS } from './web-probe.ts';

const FILES = 100;
const LIMIT_MS = 200;
const PATIENCE_MS = 180_000;

interface Told {
  readonly document: string;
  readonly status: string;
  readonly at: number;
}
interface Shown {
  readonly document: string;
  readonly state: string;
  readonly at: number;
}

/** How far each state is; one that is passed over was shown too late for nothing. */
const RANKS: Readonly<Record<string, number>> = { stored: 0, processing: 1, reading: 1, completed: 2, failed: 2, read: 2, notRead: 2 };
const rankOf = (state: string): number => RANKS[state] ?? -1;

/** From the arrival of news in the page to the moment its line shows them, or what came after; news that come before the answer to the upload wait for that. */
export const delaysOf = (told: readonly Told[], shown: readonly Shown[]): number[] =>
  told.flatMap(({ document, status, at }) => {
    const states = shown.filter((one) => one.document === document);
    const [first] = states;
    const then = states.find(({ state }) => rankOf(state) >= rankOf(status));
    if (first === undefined || then === undefined || status === 'pending') return [];
    return [Math.max(0, then.at - Math.max(at, first.at))];
  });

const makeFiles = () =>
  Array.from({ length: FILES }, (_, index) => ({
    name: `paper-${index}.txt`,
    mimeType: 'text/plain',
    buffer: Buffer.from(`Paper number ${index} of ${Date.now()}\n${'A few words that are read quickly. '.repeat(40)}`),
  }));

/** Uploads files while the list of documents is open, with every line of the list of uploads drawn. */
export const benchUpload = async (page: Page): Promise<void> => {
  await page.addInitScript(NOTE_UPLOADS);
  await page.goto('/documents');
  await page.locator('.document-title').first().waitFor();
  await page.waitForTimeout(3_000);
  const startedAt = performance.now();
  await page.getByTestId('upload-files').first().setInputFiles(makeFiles());
  await page.locator('[data-upload]').first().waitFor();
  // so that every line exists, not only those that fit its corner
  await page.evaluate(`document.querySelector('[data-upload]').closest('[role="group"]').style.maxHeight = 'none'`);
  await waitFor(
    async () => ((await page.evaluate(`document.querySelectorAll('[data-upload="read"]').length >= ${FILES}`)) === true ? true : undefined),
    { description: `${FILES} files to be read`, limitMs: PATIENCE_MS, everyMs: 500 },
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  const { told, shown } = await page.evaluate<{ told: Told[]; shown: Shown[] }>('({ told: probe.told, shown: probe.shown })');
  const delays = delaysOf(told, shown).toSorted((a, b) => a - b);
  const worst = delays.at(-1) ?? 0;
  console.log(`upload of ${FILES} files, all read after ${seconds.toFixed(0)} s`);
  console.log(
    `  ${told.length} news, ${delays.length} of them measured: shown after ${(delays[Math.floor(delays.length / 2)] ?? 0).toFixed(1)} ms (middle), ` +
      `${worst.toFixed(1)} ms (worst; at most ${LIMIT_MS}: ${worst <= LIMIT_MS && delays.length > 0 ? 'reached' : 'MISSED'})`,
  );
};
