import { reasonedError } from '@sheaf/contract';
import { createRuleRequest, type RuleAction, ruleBody, updateRuleRequest } from '@sheaf/contract/rules';
import { type Db, readRoles } from '@sheaf/db';
import { createRule, deleteRule, getRule, updateRule } from '@sheaf/rules';
import { type ConfiguredRoles, type Principal, permissionsOf, scopeOf } from '@sheaf/vocabulary/permissions';
import { OWNER_RULE_PERMISSIONS } from '@sheaf/vocabulary/rules';
import { idParams } from '../http/parse-input.ts';
import { emptyRoute, jsonRoute, type Route } from '../http/route.ts';
import { recordRule } from './record-rule.ts';
import { toRuleBody } from './rule-body.ts';
import type { RuleServices } from './rule-services.ts';

/** What rules need of their user. */
const NEEDED = ['documents.read', 'documents.update', 'labels.read'] as const;

const neededFor = (actions: readonly RuleAction[]) =>
  actions.some((action) => 'set' in action && action.set === 'owner') ? [...NEEDED, ...OWNER_RULE_PERMISSIONS] : NEEDED;

/**
 * A rule may do what its user may do, whoever wrote it. Throws FORBIDDEN for an API key that may do less, which would reach further by a
 * rule than by itself.
 */
const requireFullKey = async (
  db: Db,
  configured: ConfiguredRoles,
  { via, role, permissions }: Principal,
  actions: readonly RuleAction[],
): Promise<void> => {
  if (via !== 'key') return;
  const ofUser = permissionsOf(await readRoles(db, configured), role);
  if (neededFor(actions).some((action) => scopeOf(permissions, action) !== scopeOf(ofUser, action)))
    throw reasonedError('FORBIDDEN', 'key_too_weak_for_rules');
};

const KEYS =
  'A rule is applied with the permissions that its user has at that time. API keys that are limited in documents.read, documents.update or labels.read cannot write rules, nor can those that are limited in users.delete write one that sets the owner.';

export const create = ({ config, database: { db } }: RuleServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/rules',
    access: 'documents.update',
    summary: 'Create a rule',
    description: `An enabled rule is applied to each document after it was processed; documents that exist already do not change before \`POST /api/rules/{id}/apply\`. ${KEYS}`,
    body: createRuleRequest,
    status: 201,
    response: ruleBody,
    handle: async ({ body: { is_enabled: isEnabled, position, ...body }, principal, context }) => {
      await requireFullKey(db, config.signIn.roles, principal, body.actions);
      const rule = await db.transaction(async (tx) => {
        const created = await createRule(tx, principal, { ...body, isEnabled }, position);
        await recordRule(tx, 'rule.created', created, { principal, context });
        return created;
      });
      return toRuleBody(rule);
    },
  });

const updateBy = (method: 'put' | 'patch', { config, database: { db } }: RuleServices): Route =>
  jsonRoute({
    method,
    path: '/api/rules/{id}',
    access: 'documents.update',
    summary: 'Change a rule',
    description: `Only the given fields change; PUT and PATCH are equivalent. \`position\` moves the rule among the others. ${KEYS}`,
    errors: { RULE_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    body: updateRuleRequest,
    status: 200,
    response: ruleBody,
    present: async ({ params, principal }, reader) => toRuleBody(await getRule(reader, principal, params.id)),
    handle: async ({ params: { id }, body, principal, context }) => {
      const { actions: before } = await getRule(db, principal, id, 'documents.update');
      await requireFullKey(db, config.signIn.roles, principal, [...before, ...(body.actions ?? [])]);
      const { name, query, filters, actions, position, is_enabled: isEnabled } = body;
      const rule = await db.transaction(async (tx) => {
        const changes = {
          ...(name === undefined ? {} : { name }),
          ...(query === undefined ? {} : { query }),
          ...(filters === undefined ? {} : { filters }),
          ...(actions === undefined ? {} : { actions }),
          ...(isEnabled === undefined ? {} : { isEnabled }),
          position,
        };
        const changed = await updateRule(tx, principal, id, changes, context.requireMatch);
        await recordRule(tx, 'rule.changed', changed, { principal, context }, { fields: Object.keys(body) });
        return changed;
      });
      return toRuleBody(rule);
    },
  });

export const put = (services: RuleServices): Route => updateBy('put', services);
export const patch = (services: RuleServices): Route => updateBy('patch', services);

export const remove = ({ database: { db } }: RuleServices): Route =>
  emptyRoute({
    method: 'delete',
    path: '/api/rules/{id}',
    access: 'documents.update',
    summary: 'Delete a rule; what it changed stays as it is',
    description: 'The changes of a deleted rule cannot be undone: undo the rule first.',
    done: 'Deleted',
    errors: { RULE_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    handle: async ({ params, principal, context }) => {
      await db.transaction(async (tx) => {
        const rule = await deleteRule(tx, principal, params.id);
        await recordRule(tx, 'rule.deleted', rule, { principal, context });
      });
    },
  });
