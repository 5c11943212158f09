import type { ViewRule } from '@sheaf/db/schema';
import type { Parameter } from './parameters.ts';
import { refuseField } from './values.ts';

/** A kind of filter rule of saved views: the parameter of the list of documents that it is. */
interface RuleType {
  readonly parameter: string;
  /** Several rules of the kind are one parameter with all of their values. */
  readonly isMulti?: true;
  readonly isBoolean?: true;
  /** The parameter that the rule is without a value: whether there is none of the kind. */
  readonly missing?: string;
}

const CORRESPONDENT = { missing: 'correspondent__isnull' };
const DOCUMENT_TYPE = { missing: 'document_type__isnull' };
const STORAGE_PATH = { missing: 'storage_path__isnull' };
const MULTI = { isMulti: true } as const;
const BOOLEAN = { isBoolean: true } as const;

/** All kinds of filter rules of Paperless-ngx by their numbers. */
export const RULE_TYPES: Readonly<Record<number, RuleType>> = {
  0: { parameter: 'title__icontains' },
  1: { parameter: 'content__icontains' },
  2: { parameter: 'archive_serial_number' },
  3: { parameter: 'correspondent__id', ...CORRESPONDENT },
  4: { parameter: 'document_type__id', ...DOCUMENT_TYPE },
  5: { parameter: 'is_in_inbox', ...BOOLEAN },
  6: { parameter: 'tags__id__all', ...MULTI },
  7: { parameter: 'is_tagged', ...BOOLEAN },
  8: { parameter: 'created__date__lt' },
  9: { parameter: 'created__date__gt' },
  10: { parameter: 'created__year' },
  11: { parameter: 'created__month' },
  12: { parameter: 'created__day' },
  13: { parameter: 'added__date__lt' },
  14: { parameter: 'added__date__gt' },
  15: { parameter: 'modified__date__lt' },
  16: { parameter: 'modified__date__gt' },
  17: { parameter: 'tags__id__none', ...MULTI },
  18: { parameter: 'archive_serial_number__isnull', ...BOOLEAN },
  19: { parameter: 'title_content' },
  20: { parameter: 'query' },
  21: { parameter: 'more_like_id' },
  22: { parameter: 'tags__id__in', ...MULTI },
  23: { parameter: 'archive_serial_number__gt' },
  24: { parameter: 'archive_serial_number__lt' },
  25: { parameter: 'storage_path__id', ...STORAGE_PATH },
  26: { parameter: 'correspondent__id__in', ...MULTI, ...CORRESPONDENT },
  27: { parameter: 'correspondent__id__none', ...MULTI },
  28: { parameter: 'document_type__id__in', ...MULTI, ...DOCUMENT_TYPE },
  29: { parameter: 'document_type__id__none', ...MULTI },
  30: { parameter: 'storage_path__id__in', ...MULTI, ...STORAGE_PATH },
  31: { parameter: 'storage_path__id__none', ...MULTI },
  32: { parameter: 'owner__id' },
  33: { parameter: 'owner__id__in', ...MULTI },
  34: { parameter: 'owner__isnull', ...BOOLEAN },
  35: { parameter: 'owner__id__none', ...MULTI },
  36: { parameter: 'custom_fields__icontains' },
  37: { parameter: 'shared_by__id', ...MULTI },
  38: { parameter: 'custom_fields__id__all', ...MULTI },
  39: { parameter: 'custom_fields__id__in', ...MULTI },
  40: { parameter: 'custom_fields__id__none', ...MULTI },
  41: { parameter: 'has_custom_fields', ...BOOLEAN },
  42: { parameter: 'custom_field_query' },
  43: { parameter: 'created__date__lte' },
  44: { parameter: 'created__date__gte' },
  45: { parameter: 'added__date__lte' },
  46: { parameter: 'added__date__gte' },
  47: { parameter: 'mime_type' },
  48: { parameter: 'title_search' },
  49: { parameter: 'text' },
};

/** Of what a rule asks that something is given, whatever it is. */
const ANY = '-1';

const isNone = (value: string | null): boolean => value === null || value === '' || value === 'null';

/** The filter that some rules are together. */
interface ParameterOfRules {
  readonly rules: readonly ViewRule[];
  readonly name: string;
  readonly value: string;
}

/** Undefined for a rule that asks for nothing. Throws VALIDATION_ERROR for one that does not exist. */
const parameterOf = ({ rule_type: type, value }: ViewRule): { readonly name: string; readonly value: string } | undefined => {
  const kind = Object.hasOwn(RULE_TYPES, type) ? RULE_TYPES[type] : undefined;
  if (kind === undefined) throw refuseField('filter_rules', `There is no rule of type ${type}.`);
  if (kind.missing !== undefined && (isNone(value) || value === ANY)) return { name: kind.missing, value: isNone(value) ? '1' : '0' };
  if (kind.isBoolean === true) return { name: kind.parameter, value: value ?? '0' };
  return value === null || isNone(value) ? undefined : { name: kind.parameter, value };
};

export const isRuleType = (type: number): boolean => Object.hasOwn(RULE_TYPES, type);

/** The filters of the list of documents that rules are. Throws VALIDATION_ERROR for a rule that does not exist. */
export const parametersOf = (rules: readonly ViewRule[]): readonly ParameterOfRules[] => {
  const found: ParameterOfRules[] = [];
  for (const rule of rules) {
    const parameter = parameterOf(rule);
    if (parameter === undefined) continue;
    const kind = RULE_TYPES[rule.rule_type];
    const isMulti = kind?.isMulti === true && parameter.name === kind.parameter;
    const at = isMulti ? found.findIndex(({ name }) => name === parameter.name) : -1;
    const same = found[at];
    if (same === undefined) found.push({ rules: [rule], ...parameter });
    else found[at] = { rules: [...same.rules, rule], name: same.name, value: `${same.value},${parameter.value}` };
  }
  return found;
};

const TYPES = Object.entries(RULE_TYPES).map(([type, kind]) => ({ type: Number(type), ...kind }));

/** Filters of which several rules make one, whatever the number of conditions that they came from. */
const isJoined = (name: string): boolean => name.endsWith('__all') || name.endsWith('__none');

const rulesOf = ({ name, values }: Parameter): ViewRule[] | undefined => {
  const kind = TYPES.find(({ parameter }) => parameter === name);
  if (kind !== undefined) {
    const isKept = kind.isMulti === true ? values.length > 0 : values.length === 1;
    return isKept && !values.some(isNone) ? values.map((value) => ({ rule_type: kind.type, value })) : undefined;
  }
  const ofMissing = TYPES.find(({ missing }) => missing === name);
  return ofMissing === undefined ? undefined : [{ rule_type: ofMissing.type, value: values[0] === 'true' ? null : ANY }];
};

/** The rules that are these filters; undefined where there are none: Paperless has one of each kind. */
export const toRules = (parameters: readonly Parameter[]): ViewRule[] | undefined => {
  const rules: ViewRule[] = [];
  for (const parameter of parameters) {
    const made = rulesOf(parameter);
    if (made === undefined) return undefined;
    const isTaken = rules.some(({ rule_type: type }) => type === made[0]?.rule_type);
    if (isTaken && !isJoined(parameter.name)) return undefined;
    rules.push(...made);
  }
  return rules;
};
