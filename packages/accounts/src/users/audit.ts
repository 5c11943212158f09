import { storableJson, storableText } from '@sheaf/contract';
import { type Cut, type CutRequest, type Db, makeKeyset, type Page, type PageRequest, selectCut, selectPage } from '@sheaf/db';
import { and, eq, gte, lt, sql } from '@sheaf/db/drizzle';
import { type AuditRow, auditLog } from '@sheaf/db/schema';
import { uuidv7 } from '@sheaf/process';
import type { AuditAction } from '@sheaf/vocabulary/audit-actions';
import type { AuditSortField, SortOrder } from '@sheaf/vocabulary/sort-fields';

export interface AuditEntry {
  /** Who did it. Undefined: nobody who is known, or the service itself. */
  readonly actor?: { readonly userId: string; readonly username: string } | undefined;
  /** From where. */
  readonly address?: string | undefined;
  /** Such as `user.role_changed`. */
  readonly action: AuditAction;
  readonly outcome: 'success' | 'failure';
  /** What it was done to. */
  readonly subject?: { readonly type: string; readonly id: string } | undefined;
  /** Never a secret. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

const toRow = ({ actor, address, action, outcome, subject, details }: AuditEntry) => ({
  id: uuidv7(),
  // not now(), which is the same for all entries of a transaction: they are told in the order in which they were written
  createdAt: sql`clock_timestamp()`,
  actorId: actor?.userId ?? null,
  actorName: actor?.username ?? null,
  address: address ?? null,
  action,
  outcome,
  subjectType: subject?.type ?? null,
  subjectId: subject === undefined ? null : storableText(subject.id),
  details: storableJson(details ?? {}),
});

/** Each row has a dozen parameters, of which one statement takes 65,535. */
const ROWS_AT_ONCE = 1_000;

/** Writes down what was done. Pass the transaction of the change itself, so that there is no change without its entry. */
export const recordAudit = (db: Db, entry: AuditEntry): Promise<void> => recordAuditEntries(db, [entry]);

/** The same for much that was done at once. */
export const recordAuditEntries = async (db: Db, entries: readonly AuditEntry[]): Promise<void> => {
  for (let from = 0; from < entries.length; from += ROWS_AT_ONCE)
    await db.insert(auditLog).values(entries.slice(from, from + ROWS_AT_ONCE).map(toRow));
};

export interface AuditFilter {
  readonly action?: string | undefined;
  readonly actorId?: string | undefined;
  readonly outcome?: 'success' | 'failure' | undefined;
  readonly from?: Date | undefined;
  readonly before?: Date | undefined;
}

/** Which entries, and in which order. */
export interface AuditQuestion extends AuditFilter {
  readonly sort: AuditSortField;
  readonly order: SortOrder;
}

export interface AuditListRequest extends AuditQuestion, PageRequest {}

const entriesThat = (request: AuditFilter) =>
  and(
    request.action === undefined ? undefined : eq(auditLog.action, request.action),
    request.actorId === undefined ? undefined : eq(auditLog.actorId, request.actorId),
    request.outcome === undefined ? undefined : eq(auditLog.outcome, request.outcome),
    request.from === undefined ? undefined : gte(auditLog.createdAt, request.from),
    request.before === undefined ? undefined : lt(auditLog.createdAt, request.before),
  );

const SORT_KEYS = {
  created_at: { by: auditLog.createdAt, type: 'timestamptz' },
  action: { by: auditLog.action, type: 'text' },
  id: { by: auditLog.id, type: 'uuid' },
  address: { by: auditLog.address, type: 'text', mayBeMissing: true },
  outcome: { by: auditLog.outcome, type: 'text' },
} as const satisfies Record<AuditSortField, unknown>;

const keysetOf = ({ sort, order }: AuditQuestion) => makeKeyset(order, [SORT_KEYS[sort], { by: auditLog.id, type: 'uuid' }]);

/** One page of the entries that fit, and how many fit. */
export const listAudit = (db: Db, { page, perPage, ...filter }: AuditListRequest): Promise<Page<AuditRow>> =>
  selectPage(db, auditLog, { where: entriesThat(filter), order: keysetOf(filter).order, page, perPage });

/** The entries that fit behind `after`, at most `limit`. */
export const listAuditAfter = (db: Db, { after, limit, ...filter }: AuditQuestion & CutRequest): Promise<Cut<AuditRow>> =>
  selectCut(db, auditLog, { where: entriesThat(filter), keyset: keysetOf(filter), after, limit });
