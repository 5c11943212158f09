import { Progress } from './progress.ts';

const TICK_MS = 200;

/** A bar on stderr where that is a terminal. May be closed twice. */
export const openProgress = (): { readonly report: Progress; close(): void } => {
  const write = (text: string): unknown => process.stderr.write(text);
  const report = new Progress({ write, isTerminal: process.stderr.isTTY, isVerbose: false, now: () => performance.now() });
  const ticking = setInterval(() => report.tick(), TICK_MS).unref();
  return {
    report,
    close: () => {
      clearInterval(ticking);
      report.end();
    },
  };
};
