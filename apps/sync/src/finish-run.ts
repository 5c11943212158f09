import type { Db } from '@sheaf/db';
import type { Source, SyncRun } from '@sheaf/db/schema';
import { recordEvent } from '@sheaf/events';
import { createNotification, type NewNotification } from '@sheaf/events/notifications';
import { intervalMsOf } from '@sheaf/sources';
import { endRun, noteRunOfSource, type RunCounters } from '@sheaf/sources/runs';
import type { NotificationPolicy } from '@sheaf/vocabulary/notifications';
import type { RunEnd } from './run-source.ts';
import type { RunTally } from './run-tally.ts';
import { nextAfterFailureMs, nextAfterSuccessMs } from './schedule.ts';

export interface EndedRun {
  readonly source: Source;
  readonly run: SyncRun;
  readonly end: Exclude<RunEnd, { kind: 'gone' | 'interrupted' }>;
  readonly tally: RunTally;
}

/** Writes how a run ended: the run, its source, and who is to know. In one transaction; does nothing where it is over already. */
export const finishRun = (db: Db, policy: NotificationPolicy, ended: EndedRun): Promise<void> =>
  db.transaction(async (tx) => {
    const { source, run, end, tally } = ended;
    const problem = end.kind === 'failed' ? { code: end.code, message: end.error } : undefined;
    if (!(await endRun(tx, run, end.kind, { ...tally.counters, error: problem?.message ?? null, errorCode: problem?.code ?? null })))
      return;
    const { processed, total } = tally.progress();
    await recordEvent(tx, { type: 'sync_progress', source_id: source.id, processed, total, current_file: null }, source.ownerId);
    if (end.kind === 'cancelled') return;
    await noteRunOfSource(tx, run, { problem, nextAfterMs: nextAfterMs(ended) });
    await notify(tx, policy, ended);
  });

const nextAfterMs = ({ source, end }: EndedRun): number | undefined => {
  const intervalMs = intervalMsOf(source);
  if (end.kind !== 'failed') return nextAfterSuccessMs(intervalMs);
  return nextAfterFailureMs({ intervalMs, failures: source.failures + 1, retryAfterMs: end.retryAfterMs });
};

/** Of what goes well only when something happened, of what goes wrong only the first time; of everything that somebody asked for. */
const isWorthTelling = ({ source, run, end, tally }: EndedRun): boolean =>
  run.trigger === 'manual' || (end.kind === 'failed' ? source.failures === 0 : tally.hasNews);

const notify = async (tx: Db, policy: NotificationPolicy, ended: EndedRun): Promise<void> => {
  if (!isWorthTelling(ended)) return;
  const { source, run } = ended;
  const fields = { ...textOf(ended), data: { source_id: source.id, job_id: run.id, name: source.name, ...toldOf(ended) } };
  const receivers = new Set([source.ownerId, ...(run.requestedBy === null ? [] : [run.requestedBy])]);
  for (const userId of receivers) await createNotification(tx, policy, { userId, ...fields });
};

/** What the words tell, for who says it in other words. */
const toldOf = ({ end, tally }: EndedRun): Readonly<Record<string, unknown>> => {
  if (end.kind === 'failed') return { code: end.code, error: end.error };
  const { added, updated, moved, removed, failed, total } = tally.counters;
  return { added, updated, moved, removed, failed, total };
};

const textOf = ({ source, end, tally }: EndedRun): Pick<NewNotification, 'type' | 'title' | 'message'> =>
  end.kind === 'failed'
    ? { type: 'sync_failed', title: `Sync of ${source.name} failed`, message: end.error }
    : { type: 'sync_completed', title: `Sync of ${source.name} completed`, message: summaryOf(tally.counters) };

const summaryOf = (counters: RunCounters): string => {
  const parts = (['added', 'updated', 'moved', 'removed', 'failed'] as const)
    .filter((outcome) => counters[outcome] > 0)
    .map((outcome) => `${counters[outcome]} ${outcome}`);
  return parts.length === 0 ? `No changes; ${counters.total} files checked.` : `${parts.join(', ')}; ${counters.total} files checked.`;
};
