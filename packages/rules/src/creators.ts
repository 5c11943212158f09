import { type Db, readRoles } from '@sheaf/db';
import { and, asc, eq, isNull, sql } from '@sheaf/db/drizzle';
import { type Rule, rules, users } from '@sheaf/db/schema';
import type { ConfiguredRoles, Principal } from '@sheaf/vocabulary/permissions';

/** A rule, and who it acts for. */
export interface ActingRule {
  readonly rule: Rule;
  /** Its creator, with what he may do today. */
  readonly principal: Principal;
}

/**
 * The rules that are switched on, of users who are active: those of `ownerId` first, and of each user in their order. None may do more
 * than the role of its creator lets him do now.
 */
export const listActingRules = async (db: Db, configured: ConfiguredRoles, ownerId: string): Promise<ActingRule[]> => {
  const roles = await readRoles(db, configured);
  const rows = await db
    .select({ rule: rules, username: users.username, role: users.role })
    .from(rules)
    .innerJoin(users, eq(users.id, rules.createdBy))
    .where(and(eq(rules.isEnabled, true), isNull(users.disabledAt)))
    .orderBy(sql`${rules.createdBy} <> ${ownerId}::uuid`, asc(rules.createdBy), asc(rules.position), asc(rules.id));
  return rows.map(({ rule, username, role }) => {
    const permissions = Object.hasOwn(roles, role) ? (roles[role] ?? []) : [];
    return { rule, principal: { userId: rule.createdBy, username, role, permissions, via: 'token' } };
  });
};
