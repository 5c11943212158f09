import { hostBody, hostListQuery } from '@sheaf/contract/operations';
import type { Database } from '@sheaf/db';
import type { Clock } from '@sheaf/process';
import { listProcesses } from '@sheaf/program';
import { countJobsOfHosts, listDrainedHosts } from '@sheaf/queue';
import type { Cursors } from '../http/cursor.ts';
import type { Route } from '../http/route.ts';
import { shortListRoute } from '../http/short-list.ts';
import { hostsOf } from './hosts.ts';

interface HostServices {
  readonly database: Database;
  readonly clock: Clock;
  readonly cursors: Cursors;
}

/** A host that has been silent for so long is not expected back. */
const ROW_AGE_MS = 3_600_000;

const list = ({ database: { db }, clock, cursors }: HostServices): Route =>
  shortListRoute({
    cursors,
    path: '/api/hosts',
    access: 'system.read',
    summary: 'List the hosts that run processes of the service',
    query: hostListQuery,
    name: 'data',
    item: hostBody,
    key: 'host',
    rows: async () => {
      const now = clock.now();
      const [rows, drained, jobs] = await Promise.all([
        listProcesses(db, new Date(now.getTime() - ROW_AGE_MS)),
        listDrainedHosts(db),
        countJobsOfHosts(db),
      ]);
      return { rows: hostsOf({ rows, drained, jobs, now }) };
    },
  });

export const hostRoutes = (services: HostServices): readonly Route[] => [list(services)];
