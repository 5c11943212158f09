import { type ComponentHealth, joinHealth } from '@sheaf/contract/operations';
import { type Component, type Logger, Loop } from '@sheaf/process';

export interface CrashReporterSettings {
  /** What crashes repeatedly now. */
  readonly findings: () => readonly ComponentHealth[];
  /** Passes the report on; called at each round, also when nothing changed. */
  readonly report: (health: ComponentHealth) => void;
  readonly everyMs: number;
  readonly log: Logger;
}

/** How often the processes are told which of them crash: as often as they write their heartbeat. */
export const REPORT_EVERY_MS = 5_000;

/** Reports to the processes that run which others crash repeatedly: one that crashes cannot do it. `nudge` it after a crash. */
export const makeCrashReporter = ({ findings, report, everyMs, log }: CrashReporterSettings): Component & { nudge(): void } => {
  const loop = new Loop({
    name: 'report-crashes',
    intervalMs: everyMs,
    log,
    run: async () => {
      report(joinHealth(...findings()));
    },
  });
  return { name: loop.name, start: () => loop.start(), stop: () => loop.stop(), nudge: () => loop.nudge() };
};
