import type { Page } from 'playwright-core';
import { NOTE_FRAMES } from './web-probe.ts';
import { longestTaskOf } from './web-trace.ts';

const LIMIT_MS = 50;
const WHEEL_STEPS = 250;
const JUMPS = 40;
const PULL_FRAMES = 180;

interface Noted {
  readonly frames: number[];
  readonly longTasks: number[];
}

const quantile = (times: readonly number[], part: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;

/** Turns the wheel, as fast as a person does. */
const wheel = async (page: Page): Promise<void> => {
  await page.mouse.move(600, 500);
  for (let step = 0; step < WHEEL_STEPS; step += 1) {
    await page.mouse.wheel(0, step % 10 === 9 ? -240 : 360);
    await page.waitForTimeout(8);
  }
};

/** Clicks into the scroll bar, here and there. */
const jump = (page: Page): Promise<unknown> =>
  page.evaluate(`(async () => {
    const all = document.documentElement.scrollHeight - innerHeight;
    for (let n = 0; n < ${JUMPS}; n += 1) {
      scrollTo(0, all * ((n * 0.618034) % 1));
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  })()`);

/** Pulls the scroll bar from the beginning to the end. */
const pull = (page: Page): Promise<unknown> =>
  page.evaluate(`(async () => {
    const all = document.documentElement.scrollHeight - innerHeight;
    for (let n = 0; n <= ${PULL_FRAMES}; n += 1) {
      scrollTo(0, (all * n) / ${PULL_FRAMES});
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  })()`);

const MOVES = { 'the wheel': wheel, 'jumps of the scroll bar': jump, 'the scroll bar pulled through': pull } as const;

const measure = async (page: Page, name: string, move: (page: Page) => Promise<unknown>): Promise<number> => {
  await page.evaluate('scrollTo(0, 0)');
  await page.waitForTimeout(1_000);
  await page.evaluate('probe.restart()');
  const taskMs = await longestTaskOf(page, () => move(page));
  const { frames, longTasks } = await page.evaluate<Noted>('({ frames: probe.frames, longTasks: probe.longTasks })');
  const worst = Math.max(...frames);
  console.log(
    `    ${name.padEnd(30)} ${String(frames.length).padStart(5)} pictures, p50 ${quantile(frames, 0.5).toFixed(1)}, p99 ${quantile(frames, 0.99).toFixed(1)}, ` +
      `worst ${worst.toFixed(1)} ms; the longest task took ${taskMs.toFixed(1)} ms of the processor; long tasks: ${longTasks.length === 0 ? 'none' : longTasks.map((ms) => ms.toFixed(0)).join(' ')}`,
  );
  return worst;
};

const measureAll = async (page: Page): Promise<number> => {
  let worst = 0;
  for (const [name, move] of Object.entries(MOVES)) worst = Math.max(worst, await measure(page, name, move));
  return worst;
};

/** How long pictures take while one scrolls through all documents, as a list and as tiles; and on an empty page, which tells how quiet the machine is. */
export const benchScroll = async (page: Page, documents: number): Promise<void> => {
  await page.addInitScript(NOTE_FRAMES);
  console.log(`scrolling through ${documents} documents, ms between two pictures`);
  for (const [name, path] of [
    ['as a list', '/documents'],
    ['as tiles', '/documents?view=grid'],
  ] as const) {
    await page.goto(path);
    await page.locator('.document-title').first().waitFor();
    await page.waitForTimeout(2_000);
    console.log(`  ${name}`);
    const worst = await measureAll(page);
    console.log(`    the worst: ${worst.toFixed(1)} ms (at most ${LIMIT_MS}: ${worst <= LIMIT_MS ? 'reached' : 'MISSED'})`);
  }
  await page.goto('/icon.svg');
  await page.goto('about:blank');
  await page.setContent('<body style="height: 6200000px; margin: 0; background: linear-gradient(white, black)">');
  await page.evaluate(NOTE_FRAMES);
  console.log('  an empty page of the same height');
  await measureAll(page);
};
