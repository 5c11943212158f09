import { ruleBody, ruleChangeListQuery, ruleChangesBody, ruleListQuery } from '@sheaf/contract/rules';
import { getDocument } from '@sheaf/documents';
import { getRule, listRuleChanges, listRules, listRulesAfter } from '@sheaf/rules';
import { rowListRoute } from '../http/list-route.ts';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import { partOf } from '../http/short-list.ts';
import { toRuleBody, toRuleChangeBody } from './rule-body.ts';
import type { RuleServices } from './rule-services.ts';

export const list = ({ cursors }: RuleServices): Route =>
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

export const documentChanges = ({ database: { db } }: RuleServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/documents/{id}/rule-changes',
    access: 'documents.read',
    summary: 'What rules changed about a document, newest first by default',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    query: ruleChangeListQuery,
    status: 200,
    response: ruleChangesBody,
    handle: async ({ params, query, principal }) => {
      const { id } = await getDocument(db, principal, params.id);
      const { rows, ...more } = partOf((await listRuleChanges(db, id)).map(toRuleChangeBody), query, (change, field) => change[field]);
      return { changes: rows, ...more };
    },
  });
