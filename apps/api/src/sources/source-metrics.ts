import type { Db } from '@sheaf/db';
import { countDocumentsByRouteAndStatus } from '@sheaf/documents';
import type { Logger, Registry } from '@sheaf/process';
import { countSources } from '@sheaf/sources';
import { DOCUMENT_STATUSES, INGEST_ROUTES } from '@sheaf/vocabulary/documents';
import { SOURCE_STATUSES, SOURCE_TYPES } from '@sheaf/vocabulary/sources';
import { registerCountedGauge } from '../counted-gauge.ts';

/** Adds how many sources there are by type and status, and how many documents by the way they came in and their status. */
export const registerSourceMetrics = (registry: Registry, db: Db, log: Logger): void => {
  const sources = {
    name: 'sheaf_sources',
    help: 'Sources by type and status',
    labelNames: ['type', 'status'] as const,
    count: async () => {
      const counts = await countSources(db);
      return SOURCE_TYPES.flatMap((type) =>
        SOURCE_STATUSES.map(
          (status) => [{ type, status }, counts.find((row) => row.type === type && row.status === status)?.sources ?? 0] as const,
        ),
      );
    },
  };
  const documents = {
    name: 'sheaf_documents',
    help: 'Documents by origin and status',
    labelNames: ['source', 'status'] as const,
    count: async () => {
      const counts = await countDocumentsByRouteAndStatus(db);
      return INGEST_ROUTES.flatMap((source) =>
        DOCUMENT_STATUSES.map((status) => {
          const row = counts.find((each) => each.route === source && each.status === status);
          return [{ source, status }, row?.documents ?? 0] as const;
        }),
      );
    },
  };
  registerCountedGauge(registry, sources, log);
  registerCountedGauge(registry, documents, log);
};
