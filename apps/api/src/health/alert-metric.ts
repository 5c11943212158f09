import type { Db } from '@sheaf/db';
import { listAlerts } from '@sheaf/notifications';
import type { Logger, Registry } from '@sheaf/process';
import { ALERT_LEVELS } from '@sheaf/vocabulary/events';
import { registerCountedGauge } from '../counted-gauge.ts';

/** Adds how many alerts there are now. */
export const registerAlertMetric = (registry: Registry, db: Db, log: Logger): void =>
  registerCountedGauge(
    registry,
    {
      name: 'sheaf_alerts',
      help: 'Alerts that were raised and not cleared yet',
      labelNames: ['level'],
      count: async () => {
        const alerts = await listAlerts(db);
        return ALERT_LEVELS.map((level) => [{ level }, alerts.filter((alert) => alert.level === level).length] as const);
      },
    },
    log,
  );
