import type { Route } from '../http/route.ts';
import { create, patch, put, remove } from './change-rule.ts';
import { documentChanges, list, read } from './list-rules.ts';
import type { RuleServices } from './rule-services.ts';
import { apply, dryRunDraft, dryRunRule, undo } from './run-rule.ts';

export const ruleRoutes = (services: RuleServices): readonly Route[] => [
  list(services),
  create(services),
  dryRunDraft(services),
  read(services),
  put(services),
  patch(services),
  remove(services),
  dryRunRule(services),
  apply(services),
  undo(services),
  documentChanges(services),
];
