import { storableJson, storableText } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { and, count, eq, gt, inArray, isNull, sql } from '@sheaf/db/drizzle';
import { ingestLedger, type LedgerEntry } from '@sheaf/db/schema';
import { uuidv7 } from '@sheaf/process';
import { type IngestRoute, type LedgerState, TAKEN_STATES, WATCHED_ROUTES } from '@sheaf/vocabulary/documents';
import type { LedgerReason, LedgerReasonDetails } from '@sheaf/vocabulary/ledger-reasons';

export interface LedgerFields {
  readonly route: IngestRoute;
  readonly path: string;
  readonly ownerId?: string | undefined;
  readonly sourceId?: string | undefined;
  readonly sizeBytes?: number | undefined;
  readonly modifiedAt?: Date | undefined;
  readonly sha256?: string | undefined;
  readonly state: LedgerState;
  readonly reason?: LedgerReason | undefined;
  readonly documentId?: string | undefined;
}

/** File names and messages of other systems stand in a reason, which may hold what the database refuses. */
const toDetails = (details: LedgerReasonDetails): LedgerReasonDetails | null =>
  Object.keys(details).length === 0 ? null : storableJson(details);

const rowOf = (fields: LedgerFields) => ({
  ownerId: fields.ownerId ?? null,
  sourceId: fields.sourceId ?? null,
  sizeBytes: fields.sizeBytes ?? null,
  modifiedAt: fields.modifiedAt ?? null,
  sha256: fields.sha256 ?? null,
  state: fields.state,
  reason: fields.reason === undefined ? null : storableText(fields.reason.message),
  reasonCode: fields.reason?.code ?? null,
  reasonDetails: fields.reason === undefined ? null : toDetails(fields.reason.details),
  documentId: fields.documentId ?? null,
  movedTo: null,
});

/**
 * Whether a file that was split is what it was, and there is nothing to say of it but that it is a document: then it stays split.
 */
const IS_STILL_SPLIT = sql`ingest_ledger.state = 'split' and excluded.state in ('ingested', 'split') and excluded.reason_code is null
  and ingest_ledger.document_id = excluded.document_id and ingest_ledger.sha256 = excluded.sha256`;

const unlessStillSplit = (column: 'state' | 'reason' | 'reason_code' | 'reason_details') =>
  sql`case when ${IS_STILL_SPLIT} then ingest_ledger.${sql.identifier(column)} else excluded.${sql.identifier(column)} end`;

const RESULT = {
  state: unlessStillSplit('state'),
  reason: unlessStillSplit('reason'),
  reasonCode: unlessStillSplit('reason_code'),
  reasonDetails: unlessStillSplit('reason_details'),
};

const WATCHED_PATH = { target: [ingestLedger.route, ingestLedger.path], targetWhere: sql`route in ('watch', 'user_watch')` };
const SOURCE_PATH = { target: [ingestLedger.sourceId, ingestLedger.path], targetWhere: sql`source_id is not null` };

/**
 * Notes what became of a file. A path of a watched folder or of a source has one row that is rewritten, and forgets where an
 * earlier file of this path was put; each upload has a row of its own.
 */
export const recordLedger = async (tx: Db, fields: LedgerFields): Promise<void> => {
  const row = rowOf(fields);
  await tx
    .insert(ingestLedger)
    .values({ id: uuidv7(), route: fields.route, path: fields.path, ...row })
    .onConflictDoUpdate({
      ...(fields.sourceId === undefined ? WATCHED_PATH : SOURCE_PATH),
      set: { ...row, ...RESULT, updatedAt: sql`now()` },
    });
};

/** Rows of one insert: fourteen values each, and a statement takes 65,535. */
const INSERT_BATCH = 1_000;

/** The same for many files of one source, each path once. */
export const recordSourceLedger = async (tx: Db, many: readonly (LedgerFields & { readonly sourceId: string })[]): Promise<void> => {
  for (let at = 0; at < many.length; at += INSERT_BATCH)
    await tx
      .insert(ingestLedger)
      .values(
        many.slice(at, at + INSERT_BATCH).map((fields) => ({ id: uuidv7(), route: fields.route, path: fields.path, ...rowOf(fields) })),
      )
      .onConflictDoUpdate({
        ...SOURCE_PATH,
        set: {
          ownerId: sql`excluded.owner_id`,
          sizeBytes: sql`excluded.size_bytes`,
          modifiedAt: sql`excluded.modified_at`,
          sha256: sql`excluded.sha256`,
          ...RESULT,
          documentId: sql`excluded.document_id`,
          updatedAt: sql`now()`,
        },
      });
};

/** Notes where the file of a watched path is put after it was imported: below the folder of processed files; null when it stays. */
export const markMoved = async (db: Db, route: IngestRoute, path: string, movedTo: string | null): Promise<void> => {
  await db
    .update(ingestLedger)
    .set({ movedTo, updatedAt: sql`now()` })
    .where(and(eq(ingestLedger.route, route), eq(ingestLedger.path, path)));
};

/**
 * Rows of files that wait, in the order of their paths and after `afterPath`, kept from changing until the end of the transaction;
 * at most `limit`.
 */
export const lockWaitingEntries = (tx: Db, route: IngestRoute, afterPath: string, limit: number): Promise<LedgerEntry[]> =>
  tx
    .select()
    .from(ingestLedger)
    .where(and(eq(ingestLedger.route, route), eq(ingestLedger.state, 'waiting'), gt(ingestLedger.path, afterPath)))
    .orderBy(ingestLedger.path)
    .limit(limit)
    .for('update');

/** The rows of these paths. */
export const findLedgerEntries = async (db: Db, route: IngestRoute, paths: readonly string[]): Promise<LedgerEntry[]> =>
  paths.length === 0
    ? []
    : db
        .select()
        .from(ingestLedger)
        .where(and(eq(ingestLedger.route, route), inArray(ingestLedger.path, [...paths])));

export interface TakenFile {
  readonly ownerId: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly modifiedAt: Date;
}

const isThisFile = (file: TakenFile) =>
  and(
    eq(ingestLedger.sha256, file.sha256),
    eq(ingestLedger.ownerId, file.ownerId),
    inArray(ingestLedger.route, [...WATCHED_ROUTES]),
    eq(ingestLedger.sizeBytes, file.sizeBytes),
    eq(ingestLedger.modifiedAt, file.modifiedAt),
  );

/**
 * Under which path this very file, with its bytes and its time, came from a watched folder before, if the document that it
 * became is deleted: it was renamed since, or copied with its time.
 */
export const findPathOfDeleted = async (tx: Db, file: TakenFile): Promise<string | undefined> => {
  const [entry] = await tx
    .select({ path: ingestLedger.path })
    .from(ingestLedger)
    .where(and(isThisFile(file), inArray(ingestLedger.state, [...TAKEN_STATES]), isNull(ingestLedger.documentId)))
    .orderBy(ingestLedger.createdAt)
    .limit(1);
  return entry?.path;
};

/** The document that this very file became under another path, and that was split since. */
export const findSplitDocument = async (tx: Db, file: TakenFile): Promise<string | undefined> => {
  const [entry] = await tx
    .select({ documentId: ingestLedger.documentId })
    .from(ingestLedger)
    .where(and(isThisFile(file), eq(ingestLedger.state, 'split'), sql`${ingestLedger.documentId} is not null`))
    .orderBy(ingestLedger.createdAt)
    .limit(1);
  return entry?.documentId ?? undefined;
};

export interface LedgerCount {
  readonly route: IngestRoute;
  readonly state: LedgerState;
  readonly files: number;
}

/** How many files there are of each route and state; none are not told. */
export const countLedgerFiles = (db: Db): Promise<LedgerCount[]> =>
  db
    .select({ route: ingestLedger.route, state: ingestLedger.state, files: count() })
    .from(ingestLedger)
    .groupBy(ingestLedger.route, ingestLedger.state);
