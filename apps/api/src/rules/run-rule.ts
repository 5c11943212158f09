import { dryRunBody, ruleAppliedBody, ruleDraft, ruleUndoneBody } from '@sheaf/contract/rules';
import { applyRule, dryRun, getRule, requireUsable, undoRule } from '@sheaf/rules';
import { MAX_BULK_DOCUMENTS } from '@sheaf/vocabulary/limits';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import { recordRule } from './record-rule.ts';
import type { RuleServices } from './rule-services.ts';

const DRY_RUN = `Changes nothing. Compares the first ${MAX_BULK_DOCUMENTS} documents that match.`;

export const dryRunDraft = ({ database: { db } }: RuleServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/rules/dry-run',
    access: 'documents.update',
    summary: 'What a rule that is not stored would change now',
    description: DRY_RUN,
    isQuery: true,
    mayTakeLong: true,
    body: ruleDraft,
    status: 200,
    response: dryRunBody,
    handle: async ({ body, principal, context: { signal } }) => {
      await requireUsable(db, principal, body);
      return dryRun(db, principal, body, { signal });
    },
  });

export const dryRunRule = ({ database: { db } }: RuleServices): Route =>
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
    status: 200,
    response: dryRunBody,
    handle: async ({ params, principal, context: { signal } }) => {
      const { query, filters, actions } = await getRule(db, principal, params.id, 'documents.update');
      return dryRun(db, principal, { query, filters, actions: [...actions] }, { signal });
    },
  });

export const apply = ({ database: { db } }: RuleServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/rules/{id}/apply',
    access: 'documents.update',
    summary: 'Apply a rule to the documents that match now, also where it is disabled',
    description: `Changes up to ${MAX_BULK_DOCUMENTS} documents in parts: a request that is interrupted leaves those changed that were done. Call it again while \`remaining\` is not 0. Values that a user set are never replaced.`,
    mayTakeLong: true,
    errors: { RULE_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    status: 200,
    response: ruleAppliedBody,
    handle: async ({ params, principal, context }) => {
      const rule = await getRule(db, principal, params.id, 'documents.update');
      const applied = await applyRule(db, principal, rule, { signal: context.signal });
      await recordRule(db, 'rule.applied', rule, { principal, context }, { ...applied });
      return applied;
    },
  });

export const undo = ({ database: { db } }: RuleServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/rules/{id}/undo',
    access: 'documents.update',
    summary: 'Revert what a rule changed',
    description: `Reverts each change, the newest first, where the document still has what the rule set, no user confirmed it and the caller may change the document. At most ${MAX_BULK_DOCUMENTS} changes; call it again while \`remaining\` is not 0. An enabled rule sets its values again when a document is processed again: disable it first.`,
    mayTakeLong: true,
    errors: { RULE_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    status: 200,
    response: ruleUndoneBody,
    handle: async ({ params, principal, context }) => {
      const rule = await getRule(db, principal, params.id, 'documents.update');
      const undone = await undoRule(db, principal, rule.id, { signal: context.signal });
      await recordRule(db, 'rule.undone', rule, { principal, context }, { ...undone });
      return undone;
    },
  });
