import { makeProblem, type ServiceProblem, type ServiceProblemCode } from '@sheaf/contract/operations';
import { type Db, isDatabaseUnavailable } from '@sheaf/db';
import {
  type AlertAudience,
  clearAlert,
  forgetAlert,
  forgetAlertsOfGoneSources,
  listAlerts,
  notifyAlert,
  raiseAlert,
} from '@sheaf/events/notifications';
import { STORED_FILES } from '@sheaf/ingest/integrity';
import {
  type Clock,
  type Component,
  Counter,
  CRASHED_PROCESSES,
  type Live,
  type Logger,
  Loop,
  MEMORY_LIMIT,
  type Registry,
} from '@sheaf/process';
import { listProcesses } from '@sheaf/program';
import { readQueueStandstill, wasReading } from '@sheaf/queue';
import type { AlertLevel } from '@sheaf/vocabulary/events';
import { BACKUPS } from '../backups/backup-runner.ts';
import {
  type Condition,
  type ConditionOutcome,
  MachineConditions,
  type MachineMeters,
  type MachineThresholds,
  ProcessConditions,
} from './machine-conditions.ts';

/** The longest document that is read in one go takes its time; the queue moves all the same, as others are read beside it. */
const STANDSTILL_MS = 10 * 60_000;

/** Documents wait and nothing is read. */
const findQueueCondition = async (db: Db, limitMs: number = STANDSTILL_MS): Promise<Condition[]> => {
  const standstill = await readQueueStandstill(db);
  if (standstill === undefined || standstill.sinceMs < limitMs) return [];
  const minutes = Math.floor(standstill.sinceMs / 60_000);
  const problem = makeProblem('ocr_queue_stalled', { documents: standstill.waiting, minutes });
  return [{ component: 'ocr_queue', level: 'critical', problems: [problem] }];
};

/** How often is looked, and what counts as wrong. */
export interface MonitoringSettings extends MachineThresholds {
  readonly intervalMs: number;
}

export interface HealthMonitorSettings {
  readonly monitoring: Live<MonitoringSettings>;
  /** Folders whose disks are looked at. */
  readonly folders: readonly string[];
  /** Of a queue that stands; ten minutes where none is given. */
  readonly standstillMs?: number;
}

export interface HealthMonitorDeps {
  readonly db: Db;
  readonly audience: Live<AlertAudience>;
  readonly settings: HealthMonitorSettings;
  readonly meters: MachineMeters;
  readonly counter: AlertCounter;
  readonly clock: Clock;
  readonly log: Logger;
}

const HOUR_MS = 3_600_000;
/** The other processes are up by then. */
const FIRST_LOOK_MS = 30_000;
/** A database that was away for less is no news. */
const ABSENCE_MS = 60_000;

/** Whoever finds it out raises and clears it: the checks of sources, the scrub, and the runner of backups. */
const isReportedElsewhere = (component: string): boolean =>
  component.startsWith('source:') || component === STORED_FILES || component === BACKUPS;

const RIGHT_AGAIN = {
  cpu: 'cpu_usage_normal',
  memory: 'memory_usage_normal',
  ocr_queue: 'ocr_queue_resumed',
  [CRASHED_PROCESSES]: 'crashes_ended',
  [MEMORY_LIMIT]: 'memory_limit_met',
} as const satisfies Readonly<Record<string, ServiceProblemCode>>;

const hasOwnMessage = (component: string): component is keyof typeof RIGHT_AGAIN => Object.hasOwn(RIGHT_AGAIN, component);

/** That a component is right again. */
const recoveryOf = (component: string): ServiceProblem => {
  const [kind, name] = component.split(/:(.*)/);
  if (kind === 'disk') return makeProblem('disk_usage_normal', { path: name });
  if (kind === 'process') return makeProblem('process_recovered', { process: name });
  return hasOwnMessage(component) ? makeProblem(RIGHT_AGAIN[component]) : makeProblem('component_recovered', { component });
};

/** Looks every `intervalMs` for what is wrong with the service and its machine, and tells of each change once. */
export class HealthMonitor implements Component {
  readonly name = 'health-monitor';
  readonly #deps: HealthMonitorDeps;
  readonly #loop: Loop;
  readonly #processes = new ProcessConditions();
  #machine: MachineConditions | undefined;
  #startedMs = 0;
  /** When the meters were looked at last. */
  #measuredMs = 0;
  #awaySince: Date | undefined;

  constructor(deps: HealthMonitorDeps) {
    this.#deps = deps;
    const { monitoring } = deps.settings;
    const { intervalMs } = monitoring.current();
    this.#loop = new Loop({ name: this.name, intervalMs, log: deps.log, nudgedBy: monitoring, run: () => this.#round() });
  }

  async start(): Promise<void> {
    this.#startedMs = this.#deps.clock.now().getTime();
    this.#measuredMs = this.#startedMs;
    await this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Looks now, in place of waiting for the next round. */
  async look(): Promise<void> {
    const { db, clock, settings, meters } = this.#deps;
    const now = clock.now();
    try {
      const raised = new Set((await listAlerts(db)).map(({ component }) => component));
      this.#machine ??= new MachineConditions({ thresholds: settings.monitoring, folders: settings.folders }, meters, raised);
      const wasProcessing = await wasReading(db, this.#measuredForMs(now));
      const machine = await this.#machine.look({ wasProcessing });
      this.#measuredMs = now.getTime();
      const processes = await listProcesses(db, new Date(now.getTime() - HOUR_MS));
      const conditions = [
        ...machine,
        ...this.#processes.look(processes, raised, now).filter(({ component }) => !isReportedElsewhere(component)),
        ...(await findQueueCondition(db, settings.standstillMs)),
      ];
      await this.#report(conditions);
      const wrong = new Set(conditions.map(({ component }) => component));
      for (const component of raised) if (!wrong.has(component)) await this.#settle(component, this.#machine.outcomeOf(component));
      await forgetAlertsOfGoneSources(db);
    } catch (error) {
      if (isDatabaseUnavailable(error)) this.#awaySince ??= now;
      throw error;
    }
    await this.#notifyAbsence(now);
  }

  /** For how long the meters have measured. */
  #measuredForMs(now: Date): number {
    return Math.min(Math.max(now.getTime() - this.#measuredMs, 0), HOUR_MS);
  }

  async #round(): Promise<number> {
    const soonMs =
      this.#startedMs + Math.min(FIRST_LOOK_MS, this.#deps.settings.monitoring.current().intervalMs) - this.#deps.clock.now().getTime();
    if (soonMs > 0) return soonMs;
    await this.look();
    return this.#deps.settings.monitoring.current().intervalMs;
  }

  async #report(conditions: readonly Condition[]): Promise<void> {
    const { db, audience, counter, log } = this.#deps;
    for (const condition of conditions) {
      if (!(await db.transaction((tx) => raiseAlert(tx, audience.current(), condition)))) continue;
      counter.raised(condition.component, condition.level);
      const { component, level: severity, problems } = condition; // a line has a level of its own
      log.warn({ component, severity, problems }, 'alert');
    }
  }

  /** An alert that was not raised again. What could not be looked at is neither wrong nor right: it stays as it is. */
  async #settle(component: string, outcome: ConditionOutcome): Promise<void> {
    if (isReportedElsewhere(component) || outcome === 'unknown') return;
    const { db, audience, log } = this.#deps;
    const news = { component, problems: [recoveryOf(component)] };
    const wasThere = await db.transaction((tx) =>
      outcome === 'gone' ? forgetAlert(tx, component) : clearAlert(tx, audience.current(), news),
    );
    if (wasThere) log.info({ component }, 'alert resolved');
  }

  /** While the database is away nothing can be written, so it is told afterwards. */
  async #notifyAbsence(now: Date): Promise<void> {
    const since = this.#awaySince;
    this.#awaySince = undefined;
    if (since === undefined || now.getTime() - since.getTime() < ABSENCE_MS) return;
    const { db, audience, counter } = this.#deps;
    const problem = makeProblem('database_was_unreachable', { since_at: since.toISOString() });
    await db.transaction((tx) => notifyAlert(tx, audience.current(), 'warning', { component: 'database', problems: [problem] }));
    counter.raised('database', 'warning');
  }
}

/** Counts what was told. */
interface AlertCounter {
  readonly raised: (component: string, level: AlertLevel) => void;
}

/** A component may name a folder; for the metric its kind is enough. */
const kindOf = (component: string): string => component.split(':')[0] ?? component;

export const makeAlertCounter = (registry: Registry): AlertCounter => {
  const raised = new Counter({
    name: 'sheaf_alerts_raised_total',
    help: 'Raised alerts',
    labelNames: ['component', 'level'] as const,
    registers: [registry],
  });
  return { raised: (component, level) => raised.inc({ component: kindOf(component), level }) };
};
