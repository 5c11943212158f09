import type { IngestRoute, LedgerState } from '@sheaf/contract';
import { uuidv7 } from '@sheaf/runtime';
import type { Db } from '../client.ts';
import { and, eq, inArray, sql } from '../drizzle.ts';
import { ingestLedger, type LedgerEntry } from '../schema/ingest-ledger.ts';

export interface LedgerFields {
  readonly route: IngestRoute;
  readonly path: string;
  readonly ownerId?: string | undefined;
  readonly sourceId?: string | undefined;
  readonly sizeBytes?: number | undefined;
  readonly modifiedAt?: Date | undefined;
  readonly sha256?: string | undefined;
  readonly state: LedgerState;
  readonly reason?: string | undefined;
  readonly documentId?: string | undefined;
}

/** Notes what became of a file. A watched path has one row that is rewritten; each upload has a row of its own. */
export const recordLedger = async (tx: Db, fields: LedgerFields): Promise<void> => {
  const row = {
    ownerId: fields.ownerId ?? null,
    sourceId: fields.sourceId ?? null,
    sizeBytes: fields.sizeBytes ?? null,
    modifiedAt: fields.modifiedAt ?? null,
    sha256: fields.sha256 ?? null,
    state: fields.state,
    reason: fields.reason ?? null,
    documentId: fields.documentId ?? null,
  };
  await tx
    .insert(ingestLedger)
    .values({ id: uuidv7(), route: fields.route, path: fields.path, ...row })
    .onConflictDoUpdate({
      target: [ingestLedger.route, ingestLedger.path],
      targetWhere: sql`route in ('watch', 'user_watch')`,
      set: { ...row, updatedAt: sql`now()` },
    });
};

/** The rows of these paths. */
export const findLedgerEntries = async (db: Db, route: IngestRoute, paths: readonly string[]): Promise<LedgerEntry[]> =>
  paths.length === 0
    ? []
    : db
        .select()
        .from(ingestLedger)
        .where(and(eq(ingestLedger.route, route), inArray(ingestLedger.path, [...paths])));
