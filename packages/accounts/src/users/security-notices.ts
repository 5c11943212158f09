import { storableJson, storableText } from '@sheaf/contract';
import { type Cut, type CutRequest, type Db, makeKeyset, type Page, type PageRequest, selectCut, selectPage } from '@sheaf/db';
import { and, eq, gte, lt, sql } from '@sheaf/db/drizzle';
import { type AuditRow, auditLog } from '@sheaf/db/schema';
import { createNotification } from '@sheaf/events/notifications';
import { englishMessage } from '@sheaf/messages/english';
import { type Live, uuidv7 } from '@sheaf/process';
import type { AuditAction } from '@sheaf/vocabulary/audit-actions';
import type { NotificationPolicy, SecurityNotice } from '@sheaf/vocabulary/notifications';
import type { AuditSortField, SortOrder } from '@sheaf/vocabulary/sort-fields';

/**
 * Writes a line of the audit log, in the transaction of the change. `formerEmail` is where mail about a changed address goes: to the one
 * who had it.
 */
export type Audit = (tx: Db, entry: AuditEntry, formerEmail?: string) => Promise<void>;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Of the second factor or the key that it is about. */
const nameIn = (details: AuditEntry['details']): string => text(details?.['name']) || text(details?.['kind']);

const always = (): boolean => true;

/** What users are notified of their own accounts, by the actions of the audit log, and when it is worth telling. */
const NOTICES: Readonly<Record<SecurityNotice, (entry: AuditEntry) => boolean>> = {
  'password.changed': ({ outcome }) => outcome === 'success',
  'mfa.enabled': always,
  'mfa.removed': always,
  'mfa.recovery_codes_made': always,
  'mfa.recovery_used': always,
  'mfa.clone_suspected': always,
  'key.created': always,
  'session.refresh_reused': always,
  sign_in: ({ outcome, details }) => outcome === 'failure' && details?.['locked'] === true,
  'user.updated': ({ details }) => {
    const fields: unknown = details?.['fields'];
    return Array.isArray(fields) && fields.includes('email');
  },
};

const isNotice = (action: string): action is SecurityNotice => Object.hasOwn(NOTICES, action);

/** Whose account it is about. */
const userOf = ({ actor, subject }: AuditEntry): string | undefined => (subject?.type === 'user' ? subject.id : actor?.userId);

/**
 * The audit log, which also tells users what concerns the security of their accounts: so none of it can be forgotten where it
 * happens.
 */
export const makeAudit =
  (policy: Live<NotificationPolicy>): Audit =>
  async (tx, entry, formerEmail) => {
    await recordAudit(tx, entry);
    const { action, details, actor } = entry;
    const userId = userOf(entry);
    if (!isNotice(action) || !NOTICES[action](entry) || userId === undefined) return;
    const byOthers = actor !== undefined && actor.userId !== userId;
    const address = byOthers ? undefined : entry.address;
    const name = nameIn(details);
    await createNotification(tx, policy.current(), {
      userId,
      type: 'security',
      title: englishMessage(`notifications.security.${action}`, { name }),
      message: englishMessage('notifications.messages.security', { by_others: byOthers, address }),
      data: { action, address: address ?? null, name, by_others: byOthers },
      ...(formerEmail === undefined ? {} : { email: formerEmail }),
    });
  };

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
interface AuditQuestion extends AuditFilter {
  readonly sort: AuditSortField;
  readonly order: SortOrder;
}

interface AuditListRequest extends AuditQuestion, PageRequest {}

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
