import { ruleBody, ruleListQuery } from '@sheaf/contract/rules';
import { getRule, listRules, listRulesAfter } from '@sheaf/rules';
import { listRoute } from '../http/list-route.ts';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import { toRuleBody } from './rule-body.ts';
import type { RuleServices } from './rule-services.ts';

export const list = ({ cursors, database: { db } }: RuleServices): Route =>
  listRoute({
    cursors,
    path: '/api/rules',
    access: 'documents.read',
    summary: 'List the rules of the caller in their order',
    query: ruleListQuery,
    name: 'rules',
    item: ruleBody,
    page: async ({ query: { page, per_page: perPage }, principal }) => {
      const { rows, total } = await listRules(db, principal, { page, perPage });
      return { rows: rows.map(toRuleBody), total };
    },
    cut: async ({ principal }, part) => {
      const { rows, next } = await listRulesAfter(db, principal, part);
      return { rows: rows.map(toRuleBody), next };
    },
  });

export const read = ({ database: { db } }: RuleServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/rules/{id}',
    access: 'documents.read',
    summary: 'Get a rule of the caller',
    errors: { RULE_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    status: 200,
    response: ruleBody,
    handle: async ({ params, principal }) => toRuleBody(await getRule(db, principal, params.id)),
  });
