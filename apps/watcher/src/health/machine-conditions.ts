import type { Condition } from './condition.ts';
import { CpuMeter, readDisks, readMemoryShare, type Share } from './machine.ts';
import { Threshold } from './threshold.ts';

export interface MachineSettings {
  readonly cpuShare: Share;
  readonly memoryShare: Share;
  readonly diskShare: Share;
  /** Folders whose disks are looked at. */
  readonly folders: readonly string[];
}

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
/** A machine that reads a pile of documents is busy for a while; a full disk is full. */
const BUSY_LOOKS = 2;

const percent = (share: Share): string => `${Math.round(share * 100)} %`;
const gibibytes = (bytes: number): string => `${(bytes / 1024 ** 3).toFixed(1)} GiB`;

/** Processor, memory and disks against their thresholds. */
export class MachineConditions {
  readonly #settings: MachineSettings;
  readonly #meters: MachineMeters;
  readonly #raised: ReadonlySet<string>;
  readonly #thresholds = new Map<string, Threshold>();

  /** `raised`: the components of the alerts there are from before. */
  constructor(settings: MachineSettings, meters: MachineMeters, raised: ReadonlySet<string>) {
    this.#settings = settings;
    this.#meters = meters;
    this.#raised = raised;
  }

  async look(): Promise<Condition[]> {
    const { cpuShare, memoryShare, diskShare, folders } = this.#settings;
    const conditions: Condition[] = [];
    const cpu = this.#meters.cpu();
    if (this.#isTooHigh('cpu', cpu, cpuShare, MARGIN.busy, BUSY_LOOKS))
      conditions.push(
        warning(
          'cpu',
          `The processors are ${percent(cpu)} busy; read fewer documents at a time (CONCURRENT_OCR_JOBS), or give the machine more of them`,
        ),
      );
    const memory = await this.#meters.memory();
    if (memory !== undefined && this.#isTooHigh('memory', memory, memoryShare, MARGIN.busy, BUSY_LOOKS))
      conditions.push(
        warning(
          'memory',
          `${percent(memory)} of the memory is in use; read fewer documents at a time (CONCURRENT_OCR_JOBS), or give the machine more`,
        ),
      );
    for (const { path, share, freeBytes } of await this.#meters.disks(folders))
      if (this.#isTooHigh(`disk:${path}`, share, diskShare, MARGIN.disk, 1))
        conditions.push(
          warning(`disk:${path}`, `The disk of ${path} is ${percent(share)} full, ${gibibytes(freeBytes)} are left; free some space`),
        );
    return conditions;
  }

  #isTooHigh(component: string, value: Share, raiseAbove: Share, margin: number, looks: number): boolean {
    let threshold = this.#thresholds.get(component);
    if (threshold === undefined) {
      threshold = new Threshold({ raiseAbove, clearBelow: Math.max(0, raiseAbove - margin), looks }, this.#raised.has(component));
      this.#thresholds.set(component, threshold);
    }
    return threshold.look(value);
  }
}

const warning = (component: string, message: string): Condition => ({ component, level: 'warning', message });
