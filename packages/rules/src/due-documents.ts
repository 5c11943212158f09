import { type Db, isDatabaseUnavailable, isLostRace, readRoles } from '@sheaf/db';
import { and, asc, eq, isNull, lte, sql } from '@sheaf/db/drizzle';
import { principalOfUser } from '@sheaf/db/requester';
import { documents, type Rule, rules, users } from '@sheaf/db/schema';
import type { Logger } from '@sheaf/process';
import { findMatching } from '@sheaf/search';
import { CHANNELS } from '@sheaf/vocabulary/events';
import type { ConfiguredRoles, Principal } from '@sheaf/vocabulary/permissions';
import { fieldIdsOf, lockStates } from './document-states.ts';
import { keyOf, planChanges } from './plan-changes.ts';
import { findTargets, writeChanges } from './rule-targets.ts';

/** A rule, and who it acts for. */
interface ActingRule {
  readonly rule: Rule;
  /** Its creator, with what they may do today. */
  readonly principal: Principal;
}

/**
 * The rules that are enabled, of users who are active: those of `ownerId` first, and of each user in their order. None may do more
 * than the role of its creator lets them do now.
 */
const listActingRules = async (db: Db, configured: ConfiguredRoles, ownerId: string): Promise<ActingRule[]> => {
  const roles = await readRoles(db, configured);
  const rows = await db
    .select({ rule: rules, username: users.username, role: users.role })
    .from(rules)
    .innerJoin(users, eq(users.id, rules.createdBy))
    .where(and(eq(rules.isEnabled, true), isNull(users.disabledAt)))
    .orderBy(sql`${rules.createdBy} <> ${ownerId}::uuid`, asc(rules.createdBy), asc(rules.position), asc(rules.id));
  return rows.map(({ rule, username, role }) => ({ rule, principal: principalOfUser(roles, { userId: rule.createdBy, username, role }) }));
};

/** Documents of one round: after it the loop looks whether it is to stop. */
const ROUND = 100;
/** A document whose rules could not be applied is not tried again at once. */
const RETRY_DELAY = sql`interval '1 minute'`;

/**
 * For the statement that makes a document ready for rules: what it sets, and what it returns. They are applied if there are any that are
 * enabled.
 */
export const RULES_DUE = {
  set: { rulesDueAt: sql`case when exists (select from rules where is_enabled) then now() else ${documents.rulesDueAt} end` },
  // a time of this transaction was set by it
  returned: { rulesNotified: sql`case when ${documents.rulesDueAt} = now() then pg_notify(${CHANNELS.rules}, '') end` },
} as const;

export interface DueDeps {
  readonly db: Db;
  readonly roles: ConfiguredRoles;
  readonly log: Logger;
}

/** Applies one rule; answers the fields that it sets, also where the document had that value already. */
const applyOne = async (tx: Db, { rule, principal }: ActingRule, documentId: string, taken: ReadonlySet<string>) => {
  const { query, filters } = rule;
  const matching = await findMatching(tx, principal, { query, filters, documentIds: [documentId], limit: 1 });
  if (matching.length === 0) return [];
  const [document] = await lockStates(tx, principal, matching, fieldIdsOf(rule.actions));
  if (document?.isAllowed !== true) return [];
  const targets = await findTargets(tx, principal, rule.actions);
  await writeChanges(tx, rule, [{ document, changes: planChanges(document, targets, taken) }]);
  return targets.filter(({ field }) => field !== 'label').map(({ field, value }) => keyOf(field, value));
};

/** Applies all rules in their order. One that fails is left out, and what it did undone. */
const applyAll = async (tx: Db, acting: readonly ActingRule[], documentId: string, log: Logger): Promise<void> => {
  const taken = new Set<string>();
  for (const each of acting) {
    try {
      for (const key of await tx.transaction((part) => applyOne(part, each, documentId, taken))) taken.add(key);
    } catch (error) {
      if (isDatabaseUnavailable(error) || isLostRace(error)) throw error;
      log.warn({ err: error, rule_id: each.rule.id, document_id: documentId }, 'rule could not be applied and was skipped');
    }
  }
};

/**
 * Applies the rules to the document that has waited longest, and to no other, in one transaction: whoever is killed leaves it waiting as
 * it was. Returns false where none waits.
 */
const applyToNext = async ({ db, roles, log }: DueDeps): Promise<boolean> => {
  let taken: string | undefined;
  try {
    return await db.transaction(async (tx) => {
      const [due] = await tx
        .select({ id: documents.id, ownerId: documents.ownerId })
        .from(documents)
        .where(lte(documents.rulesDueAt, sql`now()`))
        .orderBy(asc(documents.rulesDueAt))
        .limit(1)
        .for('no key update', { skipLocked: true });
      if (due === undefined) return false;
      taken = due.id;
      await applyAll(tx, await listActingRules(tx, roles, due.ownerId), due.id, log);
      await tx.update(documents).set({ rulesDueAt: null }).where(eq(documents.id, due.id));
      return true;
    });
  } catch (error) {
    if (taken === undefined || isDatabaseUnavailable(error)) throw error;
    log.warn({ err: error, document_id: taken }, 'rules could not be applied to a document and are tried again later');
    await db.execute(sql`update documents set rules_due_at = now() + ${RETRY_DELAY} where id = ${taken} and rules_due_at is not null`);
    return true;
  }
};

/** Applies the rules to the documents that wait for them. Returns whether there may be more. */
export const applyDueRules = async (deps: DueDeps, signal?: AbortSignal): Promise<boolean> => {
  for (let count = 0; count < ROUND; count += 1) {
    if (signal?.aborted === true || !(await applyToNext(deps))) return false;
  }
  return true;
};
