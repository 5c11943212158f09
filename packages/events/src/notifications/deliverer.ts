import { type ComponentHealth, warning } from '@sheaf/contract/operations';
import { type Db, isDatabaseUnavailable } from '@sheaf/db';
import {
  backoffMs,
  type Clock,
  type Component,
  Counter,
  Histogram,
  type Live,
  type Logger,
  Loop,
  type Registry,
  sleep,
} from '@sheaf/process';
import { errorText } from '@sheaf/process/errors';
import { describeSpan, failSpan, type Tracer, traced } from '@sheaf/process/tracing';
import { DELIVERY_CHANNELS, type DeliveryChannel } from '@sheaf/vocabulary/deliveries';
import { MAX_DELIVERY_ATTEMPTS } from '@sheaf/vocabulary/limits';
import { type Attempt, type DeliveryWay, toErrorText } from './delivery-ways.ts';
import {
  type ClaimedDelivery,
  claimDeliveries,
  failDeliveriesOf,
  markDelivered,
  markUndelivered,
  releaseDelivery,
} from './queries/deliveries.ts';

/** By what each channel sends, or why it does not: channels are enabled and disabled while the process runs. */
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

/** A channel that nothing leaves by now, and why. */
export interface ChannelOff {
  readonly off: string;
}

interface LaneTimes {
  /** Of one attempt, and longer than any takes. */
  readonly leaseMs: number;
  /** How often what is due is looked for without a nudge. */
  readonly pollMs: number;
  readonly retryDelaysMs: readonly number[];
  /** How long a stop waits for what is on its way. */
  readonly stopMs: number;
}

interface LaneDeps {
  readonly db: Db;
  readonly tracer: Tracer;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: DeliveryMetrics;
  readonly times: LaneTimes;
}

const AT_ONCE: Readonly<Record<DeliveryChannel, number>> = { email: 2, webhook: 4 };
const RECORD_RETRY = { baseMs: 250, maxMs: 5_000 };

/** Sends what is due on one channel, a few at a time, so that a receiver that stalls holds up no other channel. */
class DeliveryLane {
  readonly #channel: DeliveryChannel;
  readonly #way: Live<DeliveryWay | ChannelOff>;
  readonly #deps: LaneDeps;
  readonly #loop: Loop;
  readonly #recent: RecentAttempts;
  readonly #abort = new AbortController();
  readonly #sending = new Set<Promise<void>>();
  /** Whether the last claim got all it asked for. */
  #mayBeMore = false;

  constructor(channel: DeliveryChannel, way: Live<DeliveryWay | ChannelOff>, deps: LaneDeps) {
    this.#channel = channel;
    this.#way = way;
    this.#deps = deps;
    this.#recent = new RecentAttempts(deps.clock);
    this.#loop = new Loop({
      name: `deliveries-${channel}`,
      intervalMs: deps.times.pollMs,
      log: deps.log,
      nudgedBy: way,
      run: (signal) => this.#round(signal),
    });
  }

  start(): Promise<void> {
    return this.#loop.start();
  }

  /** Lets what is on its way arrive, within bounds, and gives the rest back. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    const done = new AbortController();
    const arrived = Promise.all(this.#sending).then(() => done.abort());
    await sleep(this.#deps.times.stopMs, done.signal);
    this.#abort.abort();
    await arrived;
  }

  nudge(): void {
    this.#loop.nudge();
  }

  health(): ComponentHealth {
    const loop = this.#loop.health();
    return loop.status === 'healthy' ? this.#recent.health(this.#channel) : loop;
  }

  async #round(signal: AbortSignal): Promise<boolean> {
    const { db, log, times } = this.#deps;
    const [channel, way] = [this.#channel, this.#way.current()];
    if ('off' in way) {
      const failed = await failDeliveriesOf(db, channel, way.off);
      if (failed > 0) log.warn({ channel, deliveries: failed, reason: way.off }, 'deliveries failed');
      return false;
    }
    const limit = AT_ONCE[channel] - this.#sending.size;
    if (limit === 0) return false; // whichever ends first looks again
    const claimed = await claimDeliveries(db, { channel, limit, leaseMs: times.leaseMs, maxAttempts: MAX_DELIVERY_ATTEMPTS });
    this.#mayBeMore = claimed.length === limit;
    for (const delivery of claimed) this.#begin(delivery, way, signal);
    return false;
  }

  #begin(delivery: ClaimedDelivery, way: DeliveryWay, stopping: AbortSignal): void {
    const work = async (): Promise<void> => {
      try {
        if (stopping.aborted) await releaseDelivery(this.#deps.db, delivery);
        else await this.#inSpan(delivery, () => this.#deliver(delivery, way));
      } catch (error) {
        // its lease runs out, and it is claimed again
        this.#deps.log.warn({ err: error, delivery_id: delivery.id }, 'delivery result could not be stored');
      }
    };
    const sending = work().finally(() => {
      this.#sending.delete(sending);
      if (this.#mayBeMore) this.#loop.nudge();
    });
    this.#sending.add(sending);
  }

  #inSpan(delivery: ClaimedDelivery, work: () => Promise<void>): Promise<void> {
    const attributes = { 'sheaf.channel': this.#channel, 'sheaf.delivery.id': delivery.id, 'sheaf.attempt': delivery.attempts };
    return traced(this.#deps.tracer, `deliver ${this.#channel}`, { kind: 'client', attributes }, work);
  }

  async #deliver(delivery: ClaimedDelivery, way: DeliveryWay): Promise<void> {
    const startedMs = performance.now();
    const attempt = await this.#attempt(delivery, way);
    if (attempt === 'interrupted') {
      await releaseDelivery(this.#deps.db, delivery);
      return;
    }
    await this.#record(delivery, attempt, startedMs);
  }

  async #attempt(delivery: ClaimedDelivery, way: DeliveryWay): Promise<Attempt | 'interrupted'> {
    const { signal } = this.#abort;
    try {
      return await way.send(delivery, signal);
    } catch (error) {
      if (signal.aborted) return 'interrupted';
      // a fault of ours with this one must neither stop the others nor go on for ever
      this.#deps.log.error({ err: error, delivery_id: delivery.id }, 'delivery attempt failed with an internal error');
      return {
        kind: 'undelivered',
        status: null,
        error: toErrorText(`The delivery attempt failed with an internal error: ${errorText(error)}`),
        isFinal: false,
      };
    }
  }

  async #record(delivery: ClaimedDelivery, attempt: Attempt, startedMs: number): Promise<void> {
    const { db, metrics, log, times } = this.#deps;
    const tookMs = performance.now() - startedMs;
    const isDelivered = attempt.kind === 'delivered';
    const againMs = isDelivered || attempt.isFinal ? undefined : retryAfterMs(delivery.attempts, times.retryDelaysMs);
    const result = isDelivered ? 'delivered' : againMs === undefined ? 'failed' : 'retried';
    this.#recent.note(isDelivered);
    describeSpan({ 'sheaf.outcome': result, 'sheaf.status': attempt.status ?? undefined });
    if (!isDelivered) failSpan('undelivered');
    metrics.attempted(this.#channel, result, tookMs / 1_000);
    const isRecorded = await this.#whileLeased(startedMs, () =>
      isDelivered
        ? markDelivered(db, delivery, attempt.status)
        : markUndelivered(db, delivery, { status: attempt.status, error: attempt.error, retryAfterMs: againMs }),
    );
    const facts = { delivery_id: delivery.id, channel: this.#channel, attempt: delivery.attempts, elapsed_ms: Math.round(tookMs) };
    if (!isRecorded) log.warn(facts, 'delivery lease expired, the notification may be sent twice');
    else if (attempt.kind === 'delivered') log.debug({ ...facts, status: attempt.status }, 'delivered');
    else log.warn({ ...facts, status: attempt.status, reason: attempt.error, result }, 'delivery failed');
  }

  /** What has arrived shall not be sent again because the database was away for a moment. */
  async #whileLeased(startedMs: number, write: () => Promise<boolean>): Promise<boolean> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await write();
      } catch (error) {
        const isOver = performance.now() - startedMs > this.#deps.times.leaseMs || this.#abort.signal.aborted;
        if (isOver || !isDatabaseUnavailable(error)) throw error;
        await sleep(backoffMs(attempt, RECORD_RETRY), this.#abort.signal);
      }
    }
  }
}

/** After the first attempt, the second, and so on: some 13 minutes in all, for a receiver that starts anew or a network that is away. */
export const RETRY_DELAYS_MS: readonly number[] = [5_000, 30_000, 120_000, 600_000];

/**
 * How long after the `attempt`th failed attempt the next one is due: the delay and up to a fifth of it, so that what failed together
 * does not return together. Undefined after the last one.
 */
export const retryAfterMs = (
  attempt: number,
  delaysMs: readonly number[] = RETRY_DELAYS_MS,
  random: () => number = Math.random,
): number | undefined => {
  if (attempt >= MAX_DELIVERY_ATTEMPTS) return undefined;
  const delayMs = delaysMs[Math.min(attempt, delaysMs.length) - 1];
  return delayMs === undefined ? undefined : Math.round(delayMs * (1 + random() / 5));
};

/** `retried` is tried again later, `failed` is not. */
type DeliveryResult = 'delivered' | 'retried' | 'failed';

/** What sending is measured by. */
interface DeliveryMetrics {
  readonly attempted: (channel: DeliveryChannel, result: DeliveryResult, seconds: number) => void;
}

export const makeDeliveryMetrics = (registry: Registry): DeliveryMetrics => {
  const registers = [registry];
  const attempts = new Counter({
    name: 'sheaf_delivery_attempts_total',
    help: 'Delivery attempts of notifications by result',
    labelNames: ['channel', 'result'],
    registers,
  });
  const seconds = new Histogram({
    name: 'sheaf_delivery_attempt_duration_seconds',
    help: 'Duration of a delivery attempt',
    labelNames: ['channel'],
    buckets: [0.05, 0.2, 1, 5, 15, 45],
    registers,
  });
  return {
    attempted: (channel, result, took) => {
      attempts.inc({ channel, result });
      seconds.observe({ channel }, took);
    },
  };
};

const HOUR_MS = 3_600_000;
/** Fewer may be a moment in which a receiver starts anew. */
const MIN_FAILURES = 3;

/** How the attempts of the last hour went, as far as this process made them. */
class RecentAttempts {
  readonly #clock: Clock;
  #failuresInARow = 0;
  #lastDeliveredMs = Number.NEGATIVE_INFINITY;
  #lastFailedMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(isDelivered: boolean): void {
    const nowMs = this.#clock.now().getTime();
    if (isDelivered) this.#lastDeliveredMs = nowMs;
    else this.#lastFailedMs = nowMs;
    this.#failuresInARow = isDelivered ? 0 : this.#failuresInARow + 1;
  }

  /** A warning when there were some on `channel` in the last hour and none went well. */
  health(channel: DeliveryChannel): ComponentHealth {
    const sinceMs = this.#clock.now().getTime() - HOUR_MS;
    const isAllFailing = this.#failuresInARow >= MIN_FAILURES && this.#lastFailedMs > sinceMs && this.#lastDeliveredMs <= sinceMs;
    // without the reason, which may name people: the list of deliveries has it, for administrators
    return isAllFailing ? warning('deliveries_failing', { channel }) : { status: 'healthy' };
  }
}
