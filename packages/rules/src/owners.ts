import { permissionNeeded } from '@sheaf/contract';
import type { RuleAction, RuleValue } from '@sheaf/contract/rules';
import type { Db } from '@sheaf/db';
import { and, asc, inArray, isNull } from '@sheaf/db/drizzle';
import { users } from '@sheaf/db/schema';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import { OWNER_RULE_PERMISSIONS } from '@sheaf/vocabulary/rules';
import { findMovable } from './move-documents.ts';
import type { PlannedDocument } from './write-changes.ts';

const lacking = ({ permissions }: Principal) => OWNER_RULE_PERMISSIONS.find((action) => scopeOf(permissions, action) !== 'all');

/** Whether a rule of `principal` may change who owns a document. */
export const mayChangeOwners = (principal: Principal): boolean => lacking(principal) === undefined;

/** Throws FORBIDDEN where the actions set the owner and `principal` may not do that. */
export const requireMayChangeOwners = (principal: Principal, actions: readonly RuleAction[]): void => {
  const permission = lacking(principal);
  if (permission !== undefined && actions.some((action) => 'set' in action && action.set === 'owner')) throw permissionNeeded(permission);
};

/**
 * Users, held so that none can go before the end of the transaction. Who deletes a user holds the row before the documents, which are locked
 * here already, so it is not waited for.
 */
const holdUsers = (tx: Db, ids: readonly string[], isActive: boolean): Promise<RuleValue[]> =>
  tx
    .select({ id: users.id, name: users.username })
    .from(users)
    .where(and(inArray(users.id, [...ids]), isActive ? isNull(users.disabledAt) : undefined))
    .orderBy(asc(users.id))
    .for('key share', { noWait: true });

/** Those of the users that a rule of `principal` may give documents to: active ones. */
export const holdNewOwners = async (tx: Db, principal: Principal, ids: readonly string[]): Promise<RuleValue[]> =>
  mayChangeOwners(principal) ? holdUsers(tx, ids, true) : [];

/** Those of the users that `principal` may give documents back to, also where they are disabled by now. */
export const holdFormerOwners = async (tx: Db, principal: Principal, ids: readonly string[]): Promise<ReadonlySet<string>> => {
  if (ids.length === 0 || !mayChangeOwners(principal)) return new Set();
  return new Set((await holdUsers(tx, ids, false)).map(({ id }) => id));
};

/** What is planned without the changes of owner that cannot be, as the new owner has the same file. */
export const withoutImpossibleOwners = async (db: Db, planned: readonly PlannedDocument[]): Promise<PlannedDocument[]> => {
  const moves = planned.flatMap(({ document, changes }) =>
    changes.flatMap(({ field, to }) => (field === 'owner' ? [{ documentId: document.id, ownerId: to.id }] : [])),
  );
  const movable = new Set<string>();
  for (const [ownerId, own] of Map.groupBy(moves, (move) => move.ownerId)) {
    const ids = own.map(({ documentId }) => documentId);
    for (const id of await findMovable(db, ids, ownerId)) movable.add(id);
  }
  return planned.map(({ document, changes }) => ({
    document,
    changes: changes.filter(({ field }) => field !== 'owner' || movable.has(document.id)),
  }));
};
