import type { Db } from '@sheaf/db';
import { countDeliveries, findOldestDue } from '@sheaf/notifications';
import type { Logger, Registry } from '@sheaf/process';
import { DELIVERY_CHANNELS, DELIVERY_STATES } from '@sheaf/vocabulary/deliveries';
import { registerCountedGauge } from '../counted-gauge.ts';

/** Adds how many deliveries there are by channel and state, and how long the first of them has been due. */
export const registerDeliveryMetrics = (registry: Registry, db: Db, log: Logger): void => {
  const deliveries = {
    name: 'sheaf_deliveries',
    help: 'Deliveries of the last 30 days by channel and state',
    labelNames: ['channel', 'state'] as const,
    count: async () => {
      const counts = await countDeliveries(db);
      return DELIVERY_CHANNELS.flatMap((channel) =>
        DELIVERY_STATES.map(
          (state) => [{ channel, state }, counts.find((row) => row.channel === channel && row.state === state)?.deliveries ?? 0] as const,
        ),
      );
    },
  };
  const oldest = {
    name: 'sheaf_deliveries_oldest_due_seconds',
    help: 'Age of the oldest overdue delivery',
    labelNames: ['channel'] as const,
    count: async () => {
      const waiting = await findOldestDue(db);
      return DELIVERY_CHANNELS.map((channel) => [{ channel }, waiting.find((row) => row.channel === channel)?.seconds ?? 0] as const);
    },
  };
  registerCountedGauge(registry, deliveries, log);
  registerCountedGauge(registry, oldest, log);
};
