import { recordAudit } from '@sheaf/accounts/users';
import type { FixedConfig } from '@sheaf/config';
import { reasonedError } from '@sheaf/contract';
import {
  createRuleRequest,
  dryRunBody,
  type RuleAction,
  type RuleBody,
  type RuleChangeBody,
  ruleAppliedBody,
  ruleBody,
  ruleChangeListQuery,
  ruleChangesBody,
  ruleDraft,
  ruleListQuery,
  ruleUndoneBody,
  updateRuleRequest,
} from '@sheaf/contract/rules';
import { type Database, type Db, readRoles } from '@sheaf/db';
import type { Rule, RuleChange } from '@sheaf/db/schema';
import { getDocument } from '@sheaf/documents';
import {
  applyRule,
  createRule,
  deleteRule,
  dryRun,
  getRule,
  listRuleChanges,
  listRules,
  listRulesAfter,
  requireUsable,
  undoRule,
  updateRule,
} from '@sheaf/rules';
import type { AuditAction } from '@sheaf/vocabulary/audit-actions';
import { MAX_BULK_DOCUMENTS } from '@sheaf/vocabulary/limits';
import { type ConfiguredRoles, type Principal, permissionsOf, scopeOf } from '@sheaf/vocabulary/permissions';
import { OWNER_RULE_PERMISSIONS } from '@sheaf/vocabulary/rules';
import { type Cursors, partOf, rowListRoute } from '../http/list-route.ts';
import { idParams } from '../http/parse-input.ts';
import { type ChangeRoutes, changeRoutes, createRoute, emptyRoute, jsonRoute, type Route } from '../http/route.ts';

export const ruleRoutes = (services: RuleServices): readonly Route[] => [
  list(services),
  create(services),
  dryRunDraft(services),
  read(services),
  ...update(services),
  remove(services),
  dryRunRule(services),
  apply(services),
  undo(services),
  documentChanges(services),
];

const list = ({ cursors }: RuleServices): Route =>
  rowListRoute({
    cursors,
    path: '/api/rules',
    access: 'documents.read',
    summary: 'List the rules of the caller in their order',
    query: ruleListQuery,
    name: 'rules',
    item: ruleBody,
    list: listRules,
    listAfter: listRulesAfter,
    toBody: toRuleBody,
  });

const read = ({ database: { db } }: RuleServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/rules/{id}',
    access: 'documents.read',
    summary: 'Get a rule of the caller',
    errors: { RULE_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    response: ruleBody,
    handle: async ({ params, principal }) => toRuleBody(await getRule(db, principal, params.id)),
  });

const documentChanges = ({ database: { db } }: RuleServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/documents/{id}/rule-changes',
    access: 'documents.read',
    summary: 'What rules changed about a document, newest first by default',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    query: ruleChangeListQuery,
    response: ruleChangesBody,
    handle: async ({ params, query, principal }) => {
      const { id } = await getDocument(db, principal, params.id);
      return partOf('changes', (await listRuleChanges(db, id)).map(toRuleChangeBody), query, (change, field) => change[field]);
    },
  });

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

const create = ({ config, database: { db } }: RuleServices): Route =>
  createRoute({
    path: '/api/rules',
    access: 'documents.update',
    summary: 'Create a rule',
    description: `An enabled rule is applied to each document after it was processed; documents that exist already do not change before \`POST /api/rules/{id}/apply\`. ${KEYS}`,
    body: createRuleRequest,
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

const update = ({ config, database: { db } }: RuleServices): ChangeRoutes =>
  changeRoutes({
    path: '/api/rules/{id}',
    access: 'documents.update',
    summary: 'Change a rule',
    description: `Only the given fields change; PUT and PATCH are equivalent. \`position\` moves the rule among the others. ${KEYS}`,
    errors: { RULE_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    body: updateRuleRequest,
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

const remove = ({ database: { db } }: RuleServices): Route =>
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

const toRuleBody = (rule: Rule): RuleBody => ({
  id: rule.id,
  name: rule.name,
  query: rule.query,
  filters: rule.filters,
  actions: [...rule.actions],
  position: rule.position,
  is_enabled: rule.isEnabled,
  created_at: rule.createdAt.toISOString(),
  updated_at: rule.updatedAt.toISOString(),
});

const toRuleChangeBody = (change: RuleChange): RuleChangeBody => ({
  id: change.id,
  rule_id: change.ruleId,
  rule_name: change.ruleName,
  field: change.field,
  from: change.from,
  to: change.to,
  changed_at: change.changedAt.toISOString(),
  undone_at: change.undoneAt?.toISOString() ?? null,
});

const DRY_RUN = `Changes nothing. Compares the first ${MAX_BULK_DOCUMENTS} documents that match.`;

const dryRunDraft = ({ database: { db } }: RuleServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/rules/dry-run',
    access: 'documents.update',
    summary: 'What a rule that is not stored would change now',
    description: DRY_RUN,
    isQuery: true,
    mayTakeLong: true,
    body: ruleDraft,
    response: dryRunBody,
    handle: async ({ body, principal, context: { signal } }) => {
      await requireUsable(db, principal, body);
      return dryRun(db, principal, body, { signal });
    },
  });

const dryRunRule = ({ database: { db } }: RuleServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/rules/{id}/dry-run',
    access: 'documents.update',
    summary: 'What a rule would change now',
    description: DRY_RUN,
    isQuery: true,
    mayTakeLong: true,
    errors: { RULE_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    response: dryRunBody,
    handle: async ({ params, principal, context: { signal } }) => {
      const { query, filters, actions } = await getRule(db, principal, params.id, 'documents.update');
      return dryRun(db, principal, { query, filters, actions: [...actions] }, { signal });
    },
  });

const apply = ({ database: { db } }: RuleServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/rules/{id}/apply',
    access: 'documents.update',
    summary: 'Apply a rule to the documents that match now, also where it is disabled',
    description: `Changes up to ${MAX_BULK_DOCUMENTS} documents in parts: a request that is interrupted leaves those changed that were done. Call it again while \`remaining\` is not 0. Values that a user set are never replaced.`,
    mayTakeLong: true,
    errors: { RULE_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    response: ruleAppliedBody,
    handle: async ({ params, principal, context }) => {
      const rule = await getRule(db, principal, params.id, 'documents.update');
      const applied = await applyRule(db, principal, rule, { signal: context.signal });
      await recordRule(db, 'rule.applied', rule, { principal, context }, { ...applied });
      return applied;
    },
  });

const undo = ({ database: { db } }: RuleServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/rules/{id}/undo',
    access: 'documents.update',
    summary: 'Revert what a rule changed',
    description: `Reverts each change, the newest first, where the document still has what the rule set, no user confirmed it and the caller may change the document. At most ${MAX_BULK_DOCUMENTS} changes; call it again while \`remaining\` is not 0. An enabled rule sets its values again when a document is processed again: disable it first.`,
    mayTakeLong: true,
    errors: { RULE_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    response: ruleUndoneBody,
    handle: async ({ params, principal, context }) => {
      const rule = await getRule(db, principal, params.id, 'documents.update');
      const undone = await undoRule(db, principal, rule.id, { signal: context.signal });
      await recordRule(db, 'rule.undone', rule, { principal, context }, { ...undone });
      return undone;
    },
  });

/** What the routes of rules use. */
interface RuleServices {
  readonly config: Pick<FixedConfig, 'signIn'>;
  readonly database: Database;
  readonly cursors: Cursors;
}

/** Who did it, and from where. */
interface By {
  readonly principal: Principal;
  readonly context: { readonly address: string | undefined };
}

/** Writes what was done with a rule into the audit log. */
const recordRule = (
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
