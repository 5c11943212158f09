import type { RuleBody, RuleChangeBody } from '@sheaf/contract/rules';
import type { Rule, RuleChange } from '@sheaf/db/schema';

export const toRuleBody = (rule: Rule): RuleBody => ({
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

export const toRuleChangeBody = (change: RuleChange): RuleChangeBody => ({
  id: change.id,
  rule_id: change.ruleId,
  rule_name: change.ruleName,
  field: change.field,
  from: change.from,
  to: change.to,
  changed_at: change.changedAt.toISOString(),
  undone_at: change.undoneAt?.toISOString() ?? null,
});
