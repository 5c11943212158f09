import type { ComponentHealth } from '@sheaf/contract/operations';
import type { Db } from '@sheaf/db';
import type { Clock, Component, Live, Logger } from '@sheaf/process';
import type { Tracer } from '@sheaf/process/tracing';
import { DELIVERY_CHANNELS, type DeliveryChannel } from '@sheaf/vocabulary/deliveries';
import { type ChannelOff, DeliveryLane, type LaneTimes } from './delivery-lane.ts';
import type { DeliveryMetrics } from './delivery-metrics.ts';
import { RETRY_DELAYS_MS } from './delivery-schedule.ts';
import type { DeliveryWay } from './delivery-way.ts';

/** By what each channel sends, or why it does not: channels are switched on and off while the process runs. */
export type DeliveryWays = Readonly<Record<DeliveryChannel, Live<DeliveryWay | ChannelOff>>>;

export interface DelivererDeps extends Partial<LaneTimes> {
  readonly db: Db;
  readonly ways: DeliveryWays;
  readonly tracer: Tracer;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: DeliveryMetrics;
}

/** A mail may take 45 s. */
const LEASE_MS = 90_000;
const POLL_MS = 5_000;
/** Of the 15 s in which a process has to stop. */
const STOP_MS = 5_000;

/**
 * Sends what notifications have left in the table of deliveries. Each is sent at least once: what was claimed by a process that died
 * is sent again under the same id. Any number of these may run at once.
 */
export class Deliverer implements Component {
  readonly name = 'deliveries';
  readonly #lanes: ReadonlyMap<DeliveryChannel, DeliveryLane>;

  constructor({ ways, leaseMs = LEASE_MS, pollMs = POLL_MS, stopMs = STOP_MS, retryDelaysMs = RETRY_DELAYS_MS, ...deps }: DelivererDeps) {
    const lane = { ...deps, times: { leaseMs, pollMs, stopMs, retryDelaysMs } };
    this.#lanes = new Map(DELIVERY_CHANNELS.map((channel) => [channel, new DeliveryLane(channel, ways[channel], lane)]));
  }

  async start(): Promise<void> {
    for (const lane of this.#lanes.values()) await lane.start();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#lanes.values()].map((lane) => lane.stop()));
  }

  /** Something has to leave by `channel`; without one, perhaps by any. */
  nudge(channel?: string): void {
    for (const [name, lane] of this.#lanes) if (channel === undefined || channel === '' || channel === name) lane.nudge();
  }

  health(): ComponentHealth {
    const all = [...this.#lanes.values()].map((lane) => lane.health());
    return all.find(({ status }) => status !== 'healthy') ?? { status: 'healthy' };
  }
}
