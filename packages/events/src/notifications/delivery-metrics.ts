import { Counter, Histogram, type Registry } from '@sheaf/process';
import type { DeliveryChannel } from '@sheaf/vocabulary/deliveries';

/** `retried` is tried again later, `failed` is not. */
export type DeliveryResult = 'delivered' | 'retried' | 'failed';

/** What sending is measured by. */
export interface DeliveryMetrics {
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
