import type { ComponentHealth } from '@sheaf/contract/operations';
import type { Db } from '@sheaf/db';
import type { Source, SyncRun } from '@sheaf/db/schema';
import { recordEvent } from '@sheaf/events';
import { createNotification, type NewNotification } from '@sheaf/events/notifications';
import { type Component, Loop } from '@sheaf/process';
import { intervalMsOf } from '@sheaf/sources';
import { beginRun, endRun, listOpenRuns, noteRunOfSource, queueDueRuns, type RunCounters, type SourceRunRow } from '@sheaf/sources/runs';
import type { NotificationPolicy } from '@sheaf/vocabulary/notifications';
import { type RunEnd, SourceRun } from './run-source.ts';
import { nextAfterFailureMs, nextAfterSuccessMs, type RunTally } from './run-tally.ts';
import type { SyncDeps } from './sync-deps.ts';

const MAX_RUNS = 3;
/** Without a nudge a source waits for so long at most. */
const POLL_MS = 15_000;

interface Current {
  readonly run: SourceRun;
  readonly ended: Promise<void>;
}

/**
 * Runs what is asked for and what is due, some sources at a time and each once. Runs that were begun and did not end, as the
 * process stopped or died, go on. This process is the only one that does: it holds the lock of its name.
 */
export class SyncEngine implements Component {
  readonly name = 'sync';
  readonly #deps: SyncDeps;
  readonly #loop: Loop;
  readonly #abort = new AbortController();
  /** By the id of the run. */
  readonly #current = new Map<string, Current>();
  /** Runs that broke off by a fault that is not the source's wait for the next poll, or they would spin. */
  readonly #resting = new Set<string>();

  constructor(deps: SyncDeps) {
    this.#deps = deps;
    this.#loop = new Loop({ name: 'sync-runs', intervalMs: POLL_MS, log: deps.telemetry.log, run: () => this.#round() });
  }

  start(): Promise<void> {
    return this.#loop.start();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#loop.stop();
    await Promise.all([...this.#current.values()].map(({ ended }) => ended));
  }

  health(): ComponentHealth {
    return this.#loop.health();
  }

  /** Something about a source happened: a run was asked for, is to end, or goes over another place. */
  nudge(): void {
    for (const { run } of this.#current.values())
      run.look().catch((error: unknown) => this.#deps.telemetry.log.debug({ err: error }, 'sync run check failed'));
    this.#loop.nudge();
  }

  async #round(): Promise<boolean> {
    const { ingest, settings, attempts } = this.#deps;
    await attempts.recover();
    const resting = new Set(this.#resting);
    this.#resting.clear();
    await queueDueRuns(ingest.db, settings);
    for (const row of await listOpenRuns(ingest.db, settings.types)) {
      if (this.#current.size >= MAX_RUNS || this.#abort.signal.aborted) break;
      if (!this.#current.has(row.run.id) && !resting.has(row.run.id)) await this.#begin(row);
    }
    return false;
  }

  async #begin(row: SourceRunRow): Promise<void> {
    const { ingest, telemetry } = this.#deps;
    const { log, metrics } = telemetry;
    const begun = await ingest.db.transaction((tx) => beginRun(tx, row));
    if (begun === undefined) return;
    const run = new SourceRun(row.source, begun, this.#deps);
    const [startedMs, { type }] = [performance.now(), row.source];
    metrics.began(type);
    const execute = async (): Promise<void> => {
      let outcome: RunEnd['kind'] = 'interrupted';
      try {
        outcome = await this.#execute(run, { ...row, run: begun });
      } catch (error) {
        this.#resting.add(begun.id);
        log.warn({ err: error, source_id: row.source.id, run_id: begun.id }, 'sync interrupted, it continues later');
      } finally {
        this.#current.delete(begun.id);
        metrics.ended(type, outcome === 'gone' ? 'cancelled' : outcome, (performance.now() - startedMs) / 1_000);
        if (!this.#resting.has(begun.id)) this.#loop.nudge();
      }
    };
    this.#current.set(begun.id, { run, ended: execute() });
  }

  async #execute(run: SourceRun, row: SourceRunRow): Promise<RunEnd['kind']> {
    const { ingest, alerts, telemetry } = this.#deps;
    const end = await run.execute(this.#abort.signal);
    const { counters } = run.tally;
    const error = end.kind === 'failed' ? { error: end.error } : {};
    telemetry.log.info({ source_id: row.source.id, run_id: row.run.id, outcome: end.kind, ...counters, ...error }, 'sync finished');
    if (end.kind !== 'gone' && end.kind !== 'interrupted')
      await finishRun(ingest.db, alerts.current().policy, { ...row, end, tally: run.tally });
    return end.kind;
  }
}

interface EndedRun {
  readonly source: Source;
  readonly run: SyncRun;
  readonly end: Exclude<RunEnd, { kind: 'gone' | 'interrupted' }>;
  readonly tally: RunTally;
}

/** Writes how a run ended: the run, its source, and who is to know. In one transaction; does nothing where it is over already. */
const finishRun = (db: Db, policy: NotificationPolicy, ended: EndedRun): Promise<void> =>
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
const shouldNotify = ({ source, run, end, tally }: EndedRun): boolean =>
  run.trigger === 'manual' || (end.kind === 'failed' ? source.failures === 0 : tally.hasNews);

const notify = async (tx: Db, policy: NotificationPolicy, ended: EndedRun): Promise<void> => {
  if (!shouldNotify(ended)) return;
  const { source, run } = ended;
  const fields = { ...textOf(ended), data: { source_id: source.id, job_id: run.id, name: source.name, ...figuresOf(ended) } };
  const receivers = new Set([source.ownerId, ...(run.requestedBy === null ? [] : [run.requestedBy])]);
  for (const userId of receivers) await createNotification(tx, policy, { userId, ...fields });
};

/** What the words tell, for who says it in other words. */
const figuresOf = ({ end, tally }: EndedRun): Readonly<Record<string, unknown>> => {
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
