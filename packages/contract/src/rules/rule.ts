import {
  MAX_QUERY_CHARACTERS,
  MAX_RULE_ACTIONS,
  MAX_RULE_CHANGES_SHOWN,
  MAX_RULE_NAME_CHARACTERS,
  MAX_RULES,
} from '@sheaf/vocabulary/limits';
import { RULE_CHANGE_SORT_FIELDS } from '@sheaf/vocabulary/part-sort-fields';
import { RULE_FIELDS } from '@sheaf/vocabulary/rules';
import { RULE_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import { z } from 'zod';
import { fieldValue } from '../documents/custom-field.ts';
import { rule } from '../issue.ts';
import { askedPagination, pageQuery, partQuery, rowId, sortQuery } from '../page.ts';
import { type SearchFilters, searchFilters } from '../search/search.ts';

/** Text that a database can keep: no NUL and no halves of characters. */
const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

const ruleName = z
  .string()
  .refine(isStorable, rule('nul'))
  .normalize()
  .trim()
  .min(1)
  .refine((name) => Array.from(name).length <= MAX_RULE_NAME_CHARACTERS, rule('too_long', { maximum: MAX_RULE_NAME_CHARACTERS }))
  .describe(`1 to ${MAX_RULE_NAME_CHARACTERS} characters`);

const ruleQuery = z
  .string()
  .max(MAX_QUERY_CHARACTERS)
  .refine(isStorable, rule('nul'))
  .trim()
  .describe(
    `Query in the syntax of GET /api/search, at most ${MAX_QUERY_CHARACTERS} characters; empty: \`filters\` alone select the documents`,
  );

const setAction = z.strictObject({ set: z.enum(['correspondent', 'document_type', 'owner']), id: rowId });
const setFieldAction = z.strictObject({
  set: z.literal('field'),
  id: rowId.describe('ID of a custom field'),
  value: fieldValue.describe('As in `fields` of a document'),
});
const addLabelAction = z.strictObject({ add_label: rowId });
const ruleAction = z.union([setAction, setFieldAction, addLabelAction]).meta({ id: 'RuleAction' });
export type RuleAction = z.infer<typeof ruleAction>;

const setFields = (actions: readonly RuleAction[]): string[] =>
  actions.flatMap((action) => ('set' in action ? [action.set === 'field' ? action.id : action.set] : []));
const isSetOnce = (actions: readonly RuleAction[]): boolean => new Set(setFields(actions)).size === setFields(actions).length;

const ruleActions = z
  .array(ruleAction)
  .min(1)
  .max(MAX_RULE_ACTIONS)
  .refine(isSetOnce, 'must set each field once')
  .describe(
    `1 to ${MAX_RULE_ACTIONS} actions. \`set\` replaces the correspondent or document type unless a user set it, gives a custom field a value where it has none or one that a rule set, or changes the owner, which requires documents.read, documents.update and users.delete for all rows; \`add_label\` adds a label. IDs of rows visible to the caller`,
  );

const isEmpty = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && value !== null && Object.values(value).every(isEmpty));

/** Whether the filters leave out no document. */
export const areEmptyFilters = ({ label_match: _how, ...filters }: SearchFilters): boolean => isEmpty(filters);

const ruleFilters = searchFilters
  // PostgreSQL keeps no NUL in JSON either
  .refine((filters) => isStorable(JSON.stringify(filters)) && !JSON.stringify(filters).includes('\\u0000'), rule('nul'));

const condition = { query: ruleQuery.default(''), filters: ruleFilters.default({}) };
const EMPTY_CONDITION = 'must have a query or filters';
const hasCondition = ({ query, filters }: { readonly query: string; readonly filters: SearchFilters }): boolean =>
  query !== '' || !areEmptyFilters(filters);

/** What a rule does, for a dry run of a rule that is not stored. */
export const ruleDraft = z
  .strictObject({ ...condition, actions: ruleActions })
  .refine(hasCondition, { path: ['query'], error: EMPTY_CONDITION })
  .meta({ id: 'RuleDraft' });
export type RuleDraft = z.infer<typeof ruleDraft>;

const position = z.int().min(1).max(MAX_RULES).describe('Place among the rules of the user, from 1; the others move');

export const createRuleRequest = z
  .strictObject({
    name: ruleName,
    ...condition,
    actions: ruleActions,
    position: position.optional(),
    is_enabled: z.boolean().default(true).describe('Applied to each document after it was processed'),
  })
  .refine(hasCondition, { path: ['query'], error: EMPTY_CONDITION })
  .meta({ id: 'CreateRule' });
export type CreateRuleRequest = z.infer<typeof createRuleRequest>;

/** Only what is given changes. */
export const updateRuleRequest = z
  .strictObject({
    name: ruleName.optional(),
    query: ruleQuery.optional(),
    filters: ruleFilters.optional(),
    actions: ruleActions.optional(),
    position: position.optional(),
    is_enabled: z.boolean().optional(),
  })
  .meta({ id: 'UpdateRule' });
export type UpdateRuleRequest = z.infer<typeof updateRuleRequest>;

export const ruleListQuery = pageQuery.extend(sortQuery(RULE_SORT_FIELDS, { sort: 'position', order: 'asc' }));

export const ruleBody = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    query: z.string(),
    filters: searchFilters,
    actions: z.array(ruleAction),
    position: z.int(),
    is_enabled: z.boolean(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Rule' });
export type RuleBody = z.infer<typeof ruleBody>;

const ruleValue = z.strictObject({
  id: z.uuid(),
  name: z.string(),
  value: fieldValue.optional().describe('Only for a custom field, which `id` and `name` are of'),
});
/** A label, correspondent, document type, user or custom field, with the name that it had. */
export type RuleValue = z.infer<typeof ruleValue>;

const changeOfField = { field: z.enum(RULE_FIELDS), from: ruleValue.nullable(), to: ruleValue };

export const dryRunBody = z
  .strictObject({
    matched: z.int().describe('Documents that match and are visible to the caller'),
    would_change: z.int().describe('Documents that the rule would change'),
    is_lower_bound: z.boolean().describe('More documents match than were compared; would_change counts those that were'),
    changes: z
      .array(z.strictObject({ document_id: z.uuid(), title: z.string(), ...changeOfField }))
      .max(MAX_RULE_CHANGES_SHOWN)
      .describe(`The first ${MAX_RULE_CHANGES_SHOWN} changes`),
  })
  .meta({ id: 'RuleDryRun' });
export type DryRunBody = z.infer<typeof dryRunBody>;

export const ruleAppliedBody = z
  .strictObject({
    matched: z.int().describe('Documents that match and are visible to the caller'),
    changed: z.int().describe('Documents that were changed'),
    remaining: z.int().describe('Matching documents that were not looked at; apply the rule again for these'),
  })
  .meta({ id: 'RuleApplied' });

export const ruleUndoneBody = z
  .strictObject({
    undone: z.int().describe('Changes that were reverted'),
    kept: z
      .int()
      .describe(
        'Changes that were not reverted, because the document has another value now, a user confirmed it, the former owner cannot have the document, or the caller cannot change it',
      ),
    remaining: z.int().describe('Changes that were not looked at; undo the rule again for these'),
  })
  .meta({ id: 'RuleUndone' });

const ruleChangeBody = z
  .strictObject({
    id: z.uuid(),
    rule_id: z.uuid().nullable().describe('Null if the rule was deleted'),
    rule_name: z.string(),
    ...changeOfField,
    changed_at: z.iso.datetime(),
    undone_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'RuleChange' });
export type RuleChangeBody = z.infer<typeof ruleChangeBody>;

export const ruleChangeListQuery = partQuery(RULE_CHANGE_SORT_FIELDS, { sort: 'changed_at', order: 'desc' });

export const ruleChangesBody = z
  .strictObject({ changes: z.array(ruleChangeBody), pagination: askedPagination })
  .meta({ id: 'RuleChanges' });
