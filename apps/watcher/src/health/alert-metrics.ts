import { Counter, type Registry } from '@sheaf/process';
import type { AlertLevel } from '@sheaf/vocabulary/events';

/** Counts what was told. */
export interface AlertCounter {
  readonly raised: (component: string, level: AlertLevel) => void;
}

/** A component may name a folder; for the metric its kind is enough. */
const kindOf = (component: string): string => component.split(':')[0] ?? component;

export const makeAlertCounter = (registry: Registry): AlertCounter => {
  const raised = new Counter({
    name: 'sheaf_alerts_raised_total',
    help: 'Raised alerts',
    labelNames: ['component', 'level'] as const,
    registers: [registry],
  });
  return { raised: (component, level) => raised.inc({ component: kindOf(component), level }) };
};
