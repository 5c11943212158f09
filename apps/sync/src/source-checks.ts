import { makeProblem } from '@sheaf/contract/operations';
import type { Source } from '@sheaf/db/schema';
import { clearAlert, raiseAlert } from '@sheaf/events/notifications';
import { type Live, Loop } from '@sheaf/process';
import { SourceError } from '@sheaf/sources';
import { listUncheckedSources, noteCheck, type SourceTrouble } from '@sheaf/sources/runs';
import type { SyncDeps } from './sync-deps.ts';

const CHECK_TIMEOUT_MS = 30_000;
const AT_ONCE = 3;
/** How often it is asked which sources are to be looked at; a new one is looked at soon. */
const MAX_POLL_MS = 30_000;

/** Looks at the connection of each source every `intervalMs`, and tells when it begins or ceases to work. */
export const makeSourceChecks = (deps: SyncDeps, intervalMs: Live<number>): Loop =>
  new Loop({
    name: 'source-checks',
    intervalMs: MAX_POLL_MS,
    log: deps.telemetry.log,
    nudgedBy: intervalMs,
    run: async (signal) => {
      const waiting = await listUncheckedSources(deps.ingest.db, deps.settings, intervalMs.current());
      const work = async (): Promise<void> => {
        for (let source = waiting.pop(); source !== undefined && !signal.aborted; source = waiting.pop())
          await checkSource(source, deps, signal);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      return Math.min(MAX_POLL_MS, intervalMs.current());
    },
  });

const checkSource = async (source: Source, deps: SyncDeps, signal: AbortSignal): Promise<void> => {
  const problem = await findProblem(source, deps, signal);
  if (signal.aborted) return;
  await deps.ingest.db.transaction(async (tx) => {
    if (!(await noteCheck(tx, source, problem))) return;
    // Nothing was known before the first look: that a new source works is no news.
    if ((source.isReachable ?? true) === (problem === undefined)) return;
    const { name } = source;
    const news = {
      component: `source:${source.id}`,
      problems: [
        problem === undefined
          ? makeProblem('source_reachable', { name })
          : makeProblem('source_unreachable', { name, source_problem: problem.code }),
      ],
      ownerId: source.ownerId,
    };
    if (problem === undefined) await clearAlert(tx, deps.alerts.current(), news);
    else await raiseAlert(tx, deps.alerts.current(), { ...news, level: 'warning' });
  });
};

/** What is wrong; undefined when the source answers. */
const findProblem = async (source: Source, { openDriver }: SyncDeps, stop: AbortSignal): Promise<SourceTrouble | undefined> => {
  const timeout = AbortSignal.timeout(CHECK_TIMEOUT_MS);
  try {
    const driver = openDriver(source);
    try {
      await driver.check(AbortSignal.any([stop, timeout]));
    } finally {
      await driver.close();
    }
    return undefined;
  } catch (error) {
    if (error instanceof SourceError) return { code: error.code, message: error.message };
    if (timeout.aborted) return { code: 'timeout', message: `No response within ${CHECK_TIMEOUT_MS / 1_000} s.` };
    if (stop.aborted) return undefined;
    throw error;
  }
};
