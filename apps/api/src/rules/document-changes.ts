import { ruleChangesBody } from '@sheaf/contract/rules';
import { getDocument } from '@sheaf/documents';
import { listRuleChanges } from '@sheaf/rules';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import { toRuleChangeBody } from './rule-body.ts';
import type { RuleServices } from './rule-services.ts';

export const documentChanges = ({ database: { db } }: RuleServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/documents/{id}/rule-changes',
    access: 'documents.read',
    summary: 'What rules changed about a document, newest first',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    status: 200,
    response: ruleChangesBody,
    handle: async ({ params, principal }) => {
      const { id } = await getDocument(db, principal, params.id);
      return { changes: (await listRuleChanges(db, id)).map(toRuleChangeBody) };
    },
  });
