import type { ComponentHealth } from '@sheaf/contract/operations';
import { type Db, isDatabaseUnavailable } from '@sheaf/db';
import { backoffMs, type Clock, type Live, type Logger, Loop, sleep } from '@sheaf/process';
import { errorText } from '@sheaf/process/errors';
import { describeSpan, failSpan, type Tracer, traced } from '@sheaf/process/tracing';
import type { DeliveryChannel } from '@sheaf/vocabulary/deliveries';
import { MAX_DELIVERY_ATTEMPTS } from '@sheaf/vocabulary/limits';
import type { DeliveryMetrics } from './delivery-metrics.ts';
import { retryAfterMs } from './delivery-schedule.ts';
import { type Attempt, type DeliveryWay, toErrorText } from './delivery-way.ts';
import {
  type ClaimedDelivery,
  claimDeliveries,
  failDeliveriesOf,
  markDelivered,
  markUndelivered,
  releaseDelivery,
} from './queries/deliveries.ts';
import { RecentAttempts } from './recent-attempts.ts';

/** A channel that nothing leaves by now, and why. */
export interface ChannelOff {
  readonly off: string;
}

export interface LaneTimes {
  /** Of one attempt, and longer than any takes. */
  readonly leaseMs: number;
  /** How often what is due is looked for without a nudge. */
  readonly pollMs: number;
  readonly retryDelaysMs: readonly number[];
  /** How long a stop waits for what is on its way. */
  readonly stopMs: number;
}

export interface LaneDeps {
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
export class DeliveryLane {
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
