import { freemem, totalmem } from 'node:os';
import type { SystemMetricsBody } from '@sheaf/contract/operations';
import type { Component } from '@sheaf/process';
import { CpuMeter, readDisks, readMemoryShare, type Share } from '@sheaf/process/machine';

/** A look reads the figures of each processor, which takes an idle api more than all its polls of a second. */
const SAMPLE_MS = 5_000;

export interface SystemMeterSettings {
  /** Folders whose disks are looked at. */
  readonly folders: readonly string[];
  /** How many connections this process has at the moment. */
  readonly connections: () => Promise<number>;
}

const toPercent = (share: Share): number => Math.min(100, Math.max(0, Math.round(share * 1_000) / 10));

/** What this machine is busy with. The processors are looked at all the time, so that nobody who asks has to wait for it. */
export class SystemMeter implements Component {
  readonly name = 'system-meter';
  readonly #settings: SystemMeterSettings;
  readonly #cpu = new CpuMeter();
  #busy: Share = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: SystemMeterSettings) {
    this.#settings = settings;
  }

  async start(): Promise<void> {
    this.#timer ??= setInterval(() => {
      this.#busy = this.#cpu.look();
    }, SAMPLE_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async read(): Promise<SystemMetricsBody> {
    const { folders, connections } = this.#settings;
    const [memory, disks, active] = await Promise.all([readMemoryShare(), readDisks(folders), connections()]);
    return {
      cpu_usage: toPercent(this.#busy),
      memory_usage: toPercent(memory ?? 1 - freemem() / totalmem()),
      disk_usage: toPercent(Math.max(0, ...disks.map(({ share }) => share))),
      active_connections: active,
      uptime_seconds: Math.floor(process.uptime()),
    };
  }
}
