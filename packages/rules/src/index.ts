export { applyRule, dryRun, undoRule } from './apply-rule.ts';
export { applyDueRules, RULES_DUE } from './due-documents.ts';
export { listRuleChanges } from './rule-changes.ts';
export {
  createRule,
  deleteRule,
  getRule,
  listRules,
  listRulesAfter,
  type RuleFields,
  requireUsable,
  updateRule,
} from './rules.ts';
