import { makeProblem, type ServiceProblem } from '@sheaf/contract/operations';
import type { Live } from '@sheaf/process';
import { CpuMeter, type DiskUse, readDisks, readMemoryShare, type Share } from '@sheaf/process/machine';
import type { Condition } from './condition.ts';
import { Threshold } from './threshold.ts';

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
  fateOf(component: string): ConditionOutcome {
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
