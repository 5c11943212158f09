/** What rules set on documents. A document has one of each but labels, which are only added. */
export const RULE_FIELDS = ['correspondent', 'document_type', 'label'] as const;
export type RuleField = (typeof RULE_FIELDS)[number];
