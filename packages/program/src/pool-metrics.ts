import { Gauge, type Registry } from '@sheaf/process';

/** A pool of connections as it is at the moment. */
export interface PoolCounts {
  readonly totalCount: number;
  readonly idleCount: number;
  /** Those who wait for a connection. */
  readonly waitingCount: number;
}

/** Adds how many connections to the database this process has, and who waits for one. */
export const registerPoolMetrics = (registry: Registry, pool: PoolCounts): void => {
  const registers = [registry];
  const connections: Gauge<'state'> = new Gauge({
    name: 'sheaf_database_connections',
    help: 'Connections to the database in the pool of this process',
    labelNames: ['state'],
    registers,
    collect: () => {
      connections.set({ state: 'idle' }, pool.idleCount);
      connections.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
    },
  });
  const waiting: Gauge = new Gauge({
    name: 'sheaf_database_connection_waiters',
    help: 'Callers that wait for a connection to the database',
    registers,
    collect: () => waiting.set(pool.waitingCount),
  });
};
