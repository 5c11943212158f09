import type { Db } from '@sheaf/db';
import { createNotification } from '@sheaf/notifications';
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

const isTold = (action: string): action is SecurityNotice => Object.hasOwn(NOTICES, action);

/** What users are told of their own accounts, by what the audit log says. Undefined: this one is not worth telling. */
const NOTICES: Readonly<Record<SecurityNotice, (entry: AuditEntry) => string | undefined>> = {
  'password.changed': ({ outcome }) => (outcome === 'success' ? 'Your password was changed' : undefined),
  'mfa.enabled': ({ details }) => `A second factor was added: ${nameIn(details)}`,
  'mfa.removed': ({ details }) => `A second factor was removed: ${nameIn(details)}`,
  'mfa.recovery_codes_made': () => 'New recovery codes were generated; the previous ones are invalid',
  'mfa.recovery_used': () => 'A recovery code was used to sign in',
  'mfa.clone_suspected': () => 'A security key was rejected: it may have been cloned',
  'key.created': ({ details }) => `An API key was created: ${nameIn(details)}`,
  'session.refresh_reused': () => 'A session was ended because its refresh token was reused',
  sign_in: ({ outcome, details }) =>
    outcome === 'failure' && details?.['locked'] === true ? 'Sign-in was temporarily locked after too many failed attempts' : undefined,
  'user.updated': ({ details }) => {
    const fields: unknown = details?.['fields'];
    return Array.isArray(fields) && fields.includes('email') ? 'Your e-mail address was changed' : undefined;
  },
};

const ADVICE = 'If this was not you, change your password, end your other sessions, and contact your administrator.';

const BY_OTHERS = 'An administrator made this change. If you did not expect it, contact your administrator.';

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
    const title = isTold(entry.action) ? NOTICES[entry.action](entry) : undefined;
    const userId = userOf(entry);
    if (title === undefined || userId === undefined) return;
    const isBySomebodyElse = entry.actor !== undefined && entry.actor.userId !== userId;
    const address = isBySomebodyElse ? undefined : entry.address;
    await createNotification(tx, policy.current(), {
      userId,
      type: 'security',
      title,
      message: isBySomebodyElse ? BY_OTHERS : `${address === undefined ? '' : `From the address ${address}. `}${ADVICE}`,
      data: { action: entry.action, address: address ?? null, name: nameIn(entry.details), by_others: isBySomebodyElse },
      ...(formerEmail === undefined ? {} : { email: formerEmail }),
    });
  };
