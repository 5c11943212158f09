import type { Db } from '@sheaf/db';
import { createNotification } from '@sheaf/events/notifications';
import { englishMessage } from '@sheaf/messages/english';
import type { Live } from '@sheaf/process';
import type { NotificationPolicy, SecurityNotice } from '@sheaf/vocabulary/notifications';
import { type AuditEntry, recordAudit } from './audit.ts';

/**
 * Writes a line of the audit log, in the transaction of the change. `formerEmail` is where mail about a changed address goes: to the one
 * who had it.
 */
export type Audit = (tx: Db, entry: AuditEntry, formerEmail?: string) => Promise<void>;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Of the second factor or the key that it is about. */
const nameIn = (details: AuditEntry['details']): string => text(details?.['name']) || text(details?.['kind']);

const always = (): boolean => true;

/** What users are told of their own accounts, by the actions of the audit log, and when it is worth telling. */
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
