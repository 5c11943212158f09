import { recordAudit } from '@sheaf/accounts/users';
import type { Db } from '@sheaf/db';
import type { Rule } from '@sheaf/db/schema';
import type { AuditAction } from '@sheaf/vocabulary/audit-actions';
import type { Principal } from '@sheaf/vocabulary/permissions';

/** Who did it, and from where. */
interface By {
  readonly principal: Principal;
  readonly context: { readonly address: string | undefined };
}

/** Writes what was done with a rule into the audit log. */
export const recordRule = (
  tx: Db,
  action: Extract<AuditAction, `rule.${string}`>,
  { id, name }: Pick<Rule, 'id' | 'name'>,
  { principal, context }: By,
  details: Readonly<Record<string, unknown>> = {},
): Promise<void> =>
  recordAudit(tx, {
    actor: principal,
    address: context.address,
    action,
    outcome: 'success',
    subject: { type: 'rule', id },
    details: { name, ...details },
  });
