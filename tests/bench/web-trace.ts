import type { Page } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Of the processor, in microseconds; what waits for others costs nothing. */
  readonly tdur?: number;
}

/**
 * How much processor time the longest task of the page took while `work` ran, in milliseconds. On a machine that does other things too this tells more of the
 * page than the time between two pictures.
 */
export const longestTaskOf = async (page: Page, work: () => Promise<unknown>): Promise<number> => {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => void events.push(...(value as unknown as TraceEvent[])));
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'toplevel'] },
  });
  await work();
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await complete;
  await session.detach();
  // the thread that runs the scripts of the page
  const main = events.find(({ name }) => name === 'FunctionCall' || name === 'FireAnimationFrame');
  const tasks = events.filter(({ name, pid, tid }) => name === 'RunTask' && pid === main?.pid && tid === main.tid);
  return Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur)) / 1_000;
};
