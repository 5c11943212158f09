import { makeProblem, problemsOf, type ServiceProblem } from '@sheaf/contract/operations';
import type { ProcessRow } from '@sheaf/db/schema';
import type { Live } from '@sheaf/process';
import { CpuMeter, type DiskUse, readDisks, readMemoryShare, type Share } from '@sheaf/process/machine';
import type { AlertLevel } from '@sheaf/vocabulary/events';

/** Shares of 0 to 1 above which something is wrong. */
export interface MachineThresholds {
  readonly cpuShare: Share;
  readonly memoryShare: Share;
  readonly diskShare: Share;
}

export interface MachineSettings {
  readonly thresholds: Live<MachineThresholds>;
  /** Folders whose disks are looked at. */
  readonly folders: readonly string[];
}

/** What became of an alert that is not raised again: it is over, nobody could look, or nothing of the kind is looked at any more. */
export type ConditionOutcome = 'over' | 'unknown' | 'gone';

const DISK = 'disk:';

/** What is measured; tests measure something else. */
export interface MachineMeters {
  readonly cpu: () => Share;
  readonly memory: () => Promise<Share | undefined>;
  readonly disks: typeof readDisks;
}

export const machineMeters = (): MachineMeters => {
  const cpu = new CpuMeter();
  return { cpu: () => cpu.look(), memory: () => readMemoryShare(), disks: readDisks };
};

const MARGIN = { busy: 0.05, disk: 0.02 };
/** A machine may be busy for a while; a full disk is full. */
const BUSY_LOOKS = 2;

const percent = (share: Share): number => Math.round(share * 100);

/** Processor, memory and disks against their thresholds. */
export class MachineConditions {
  readonly #settings: MachineSettings;
  readonly #meters: MachineMeters;
  readonly #raised: ReadonlySet<string>;
  readonly #thresholds = new Map<string, Threshold>();
  #isCpuKnown = false;
  #memory: Share | undefined;
  #disks: readonly DiskUse[] = [];

  /** `raised`: the components of the alerts there are from before. */
  constructor(settings: MachineSettings, meters: MachineMeters, raised: ReadonlySet<string>) {
    this.#settings = settings;
    this.#meters = meters;
    this.#raised = raised;
  }

  /**
   * `wasProcessing`: whether documents were processed since the last look. That keeps all cores busy, as it should, so nothing is said of
   * the processors then.
   */
  async look({ wasProcessing }: { readonly wasProcessing: boolean }): Promise<Condition[]> {
    const { thresholds, folders } = this.#settings;
    const { cpuShare, memoryShare, diskShare } = thresholds.current();
    const conditions: Condition[] = [];
    const cpu = this.#meters.cpu(); // looked at in any case, so that the next look measures from here
    this.#isCpuKnown = !wasProcessing;
    if (this.#isCpuKnown && this.#isTooHigh('cpu', cpu, cpuShare, MARGIN.busy, BUSY_LOOKS))
      conditions.push(warning('cpu', makeProblem('cpu_usage_high', { percent: percent(cpu) })));
    const memory = await this.#meters.memory();
    this.#memory = memory;
    if (memory !== undefined && this.#isTooHigh('memory', memory, memoryShare, MARGIN.busy, BUSY_LOOKS))
      conditions.push(warning('memory', makeProblem('memory_usage_high', { percent: percent(memory) })));
    this.#disks = await this.#meters.disks(folders);
    for (const { path, share, freeBytes } of this.#disks)
      if (this.#isTooHigh(DISK + path, share, diskShare, MARGIN.disk, 1))
        conditions.push(warning(DISK + path, makeProblem('disk_usage_high', { path, percent: percent(share), free_bytes: freeBytes })));
    return conditions;
  }

  /** Of an alert about `component` that the last look has not raised. */
  outcomeOf(component: string): ConditionOutcome {
    if (component === 'cpu') return this.#isCpuKnown ? 'over' : 'unknown';
    if (component === 'memory') return this.#memory === undefined ? 'unknown' : 'over';
    if (!component.startsWith(DISK)) return 'over';
    const path = component.slice(DISK.length);
    if (this.#disks.some((disk) => disk.path === path)) return 'over';
    const isAway = this.#settings.folders.includes(path) && !this.#disks.some(({ folders }) => folders.includes(path));
    return isAway ? 'unknown' : 'gone';
  }

  #isTooHigh(component: string, value: Share, raiseAbove: Share, margin: number, looks: number): boolean {
    const known = this.#thresholds.get(component);
    if (known?.raiseAbove === raiseAbove) return known.look(value);
    const wasRaised = known?.isRaised ?? this.#raised.has(component);
    const threshold = new Threshold({ raiseAbove, clearBelow: Math.max(0, raiseAbove - margin), looks }, wasRaised);
    this.#thresholds.set(component, threshold);
    return threshold.look(value);
  }
}

const warning = (component: string, problem: ServiceProblem): Condition => ({ component, level: 'warning', problems: [problem] });

interface ThresholdSettings {
  /** Above it there is something wrong. */
  readonly raiseAbove: number;
  /** From here down it is right again: less, so that a value about the limit does not raise and clear for ever. */
  readonly clearBelow: number;
  /** Looks in a row that have to be above. */
  readonly looks: number;
}

/** Says of a value that is looked at again and again whether it is too high. */
export class Threshold {
  readonly #settings: ThresholdSettings;
  #above = 0;
  #isRaised: boolean;

  /** `isRaised`: what was said before this process began. */
  constructor(settings: ThresholdSettings, isRaised = false) {
    this.#settings = settings;
    this.#isRaised = isRaised;
  }

  get raiseAbove(): number {
    return this.#settings.raiseAbove;
  }

  /** As of the last look. */
  get isRaised(): boolean {
    return this.#isRaised;
  }

  look(value: number): boolean {
    const { raiseAbove, clearBelow, looks } = this.#settings;
    this.#above = value > raiseAbove ? this.#above + 1 : 0;
    if (this.#above >= looks) this.#isRaised = true;
    else if (value <= clearBelow) this.#isRaised = false;
    return this.#isRaised;
  }
}

/** A process that was silent for six heartbeats is not there: one that is starting again takes a few seconds. */
const SILENCE_MS = 30_000;
/** What is not right at one look may be right at the next: something is starting, or connects again. */
const WARNING_LOOKS = 2;

const PROCESS = 'process:';

/** What the processes say of themselves, and which are missing. */
export class ProcessConditions {
  readonly #warned = new Map<string, number>();

  /** `rows` are all that are known; `raised` the components of the alerts there are. */
  look(rows: readonly ProcessRow[], raised: ReadonlySet<string>, now: Date): Condition[] {
    const since = new Date(now.getTime() - SILENCE_MS);
    const alive = rows.filter(({ seenAt }) => seenAt >= since);
    return [...missing(rows, alive, raised), ...this.#patient(findings(alive), raised)];
  }

  /** A warning counts when it is there for the second time. */
  #patient(conditions: readonly Condition[], raised: ReadonlySet<string>): Condition[] {
    const seen = new Set(conditions.map(({ component }) => component));
    for (const component of this.#warned.keys()) if (!seen.has(component)) this.#warned.delete(component);
    return conditions.filter(({ component, level }) => {
      const looks = (this.#warned.get(component) ?? 0) + 1;
      this.#warned.set(component, looks);
      return level === 'critical' || looks >= WARNING_LOOKS || raised.has(component);
    });
  }
}

/** A process that ends in good order takes its row along; so one that is silent has died, and is missing until another is there. */
const missing = (rows: readonly ProcessRow[], alive: readonly ProcessRow[], raised: ReadonlySet<string>): Condition[] => {
  const silent = new Set(rows.map(({ name }) => name));
  for (const component of raised) if (component.startsWith(PROCESS)) silent.add(component.slice(PROCESS.length));
  for (const { name } of alive) silent.delete(name);
  return [...silent].map((name) => ({
    component: `${PROCESS}${name}`,
    level: 'critical',
    problems: [makeProblem('process_stopped', { process: name })],
  }));
};

/** The worst that is said of each component, whoever says it. */
const findings = (alive: readonly ProcessRow[]): Condition[] => {
  const conditions = new Map<string, Condition>();
  for (const { components } of alive) {
    for (const [component, health] of Object.entries(components)) {
      const { status } = health;
      if (status === 'healthy' || conditions.get(component)?.level === 'critical') continue;
      const level = status === 'unhealthy' ? 'critical' : 'warning';
      if (level === 'critical' || !conditions.has(component))
        conditions.set(component, { component, level, problems: problemsOf(health, component) });
    }
  }
  return [...conditions.values()];
};

/** Something that is wrong at this look. */
export interface Condition {
  /** Such as `file_storage`. */
  readonly component: string;
  readonly level: Exclude<AlertLevel, 'info'>;
  /** What it is and what to do. */
  readonly problems: readonly ServiceProblem[];
}
