import { type ComponentHealth, warning } from '@sheaf/contract/operations';
import type { Clock } from '@sheaf/process';
import type { DeliveryChannel } from '@sheaf/vocabulary/deliveries';

const HOUR_MS = 3_600_000;
/** Fewer may be a moment in which a receiver starts anew. */
const MIN_FAILURES = 3;

/** How the attempts of the last hour went, as far as this process made them. */
export class RecentAttempts {
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
