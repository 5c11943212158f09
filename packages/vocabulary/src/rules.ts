import type { Action } from './permissions.ts';

/** What rules set on documents. A document has one of each but labels, which are only added, and one value of each custom field. */
export const RULE_FIELDS = ['correspondent', 'document_type', 'owner', 'field', 'label'] as const;
export type RuleField = (typeof RULE_FIELDS)[number];

/**
 * What a rule that sets the owner needs for everybody's rows: `users.delete` is what gives documents to another user elsewhere, and with the
 * others the rule still reaches the document at its new owner, so that it can be undone.
 */
export const OWNER_RULE_PERMISSIONS = ['documents.read', 'documents.update', 'users.delete'] as const satisfies readonly Action[];
