import { Counter, Gauge, Histogram, type Registry } from '@sheaf/process';
import { PROTOCOLS, type Protocol } from './event-connection.ts';

/** What is counted of events and of who listens to them. */
export class EventMetrics {
  readonly delivered: Counter<'protocol'>;
  readonly dropped: Counter<'protocol'>;
  readonly lagSeconds: Histogram;

  constructor(registry: Registry, countConnections: (protocol: Protocol) => number) {
    const registers = [registry];
    this.delivered = new Counter({
      name: 'sheaf_events_delivered_total',
      help: 'Events sent to connections',
      labelNames: ['protocol'],
      registers,
    });
    this.dropped = new Counter({
      name: 'sheaf_event_slow_readers_total',
      help: 'Connections closed because the client was too slow',
      labelNames: ['protocol'],
      registers,
    });
    this.lagSeconds = new Histogram({
      name: 'sheaf_event_lag_seconds',
      help: 'Time from the start of a transaction to the delivery of its events',
      buckets: [0.005, 0.02, 0.05, 0.2, 1, 5, 60],
      registers,
    });
    const connections: Gauge<'protocol'> = new Gauge({
      name: 'sheaf_event_connections',
      help: 'Open event connections',
      labelNames: ['protocol'],
      registers,
      collect: () => {
        for (const protocol of PROTOCOLS) connections.set({ protocol }, countConnections(protocol));
      },
    });
    for (const protocol of PROTOCOLS) {
      this.delivered.inc({ protocol }, 0);
      this.dropped.inc({ protocol }, 0);
    }
  }
}
