import { type DocumentCondition, TEXT_COMPARISONS, type TextComparison } from '@sheaf/contract/search';
import type { ViewRule } from '@sheaf/db/schema';
import type { AnyCondition, Comparison, DateField, ReferenceField, TextField } from '@sheaf/search';
import { isDay, isInteger, readBoolean, readInteger, readIntegers, refuseField } from './values.ts';

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

/** A condition whose ids are still numbers of Paperless, and conditions on what there is only there. */
export type NumberedCondition =
  | Exclude<AnyCondition, { readonly kind: 'reference' }>
  | { readonly kind: 'inbox'; readonly is_given: boolean }
  | { readonly kind: 'path'; readonly match: 'any' | 'none'; readonly numbers: readonly number[] }
  | { readonly kind: 'path given'; readonly is_given: boolean }
  | ReferenceCondition;

interface ReferenceCondition {
  readonly kind: 'reference';
  readonly field: ReferenceField;
  readonly match: 'all' | 'any' | 'none';
  readonly numbers: readonly number[];
}

/** What a parameter says: conditions, none where every document has it. Throws VALIDATION_ERROR for a value that it cannot have. */
type Rule = (value: string, name: string) => readonly NumberedCondition[];

const NEVER: readonly NumberedCondition[] = [{ kind: 'never' }];

const text =
  (field: TextField, compare: TextComparison): Rule =>
  (value) => [{ kind: 'text', field, compare, text: value }];

const reference =
  (field: ReferenceField, match: 'all' | 'any' | 'none'): Rule =>
  (value, name) => [{ kind: 'reference', field, match, numbers: readIntegers(name, value) }];

const given =
  (field: ReferenceField | 'archive_number', whenTrue: boolean): Rule =>
  (value, name) => [{ kind: 'given', field, is_given: readBoolean(name, value) === whenTrue }];

const day =
  (field: DateField, compare: Comparison): Rule =>
  (value, name) => {
    if (!isDay(value.slice(0, 10))) throw refuseField(name, 'Enter a valid date.');
    return [{ kind: 'day', field, compare, day: value.slice(0, 10) }];
  };

const moment =
  (field: DateField, compare: Comparison): Rule =>
  (value, name) => {
    if (isDay(value)) return [{ kind: 'day', field, compare, day: value }];
    const time = new Date(value);
    const year = time.getUTCFullYear();
    if (Number.isNaN(year) || year < 1 || year > 9_999 || value.length > 40) throw refuseField(name, 'Enter a valid date/time.');
    return [{ kind: 'moment', field, compare, moment: time.toISOString() }];
  };

const part =
  (field: DateField, name: 'year' | 'month' | 'day'): Rule =>
  (value, parameter) => [{ kind: 'part', field, part: name, value: readInteger(parameter, value) }];

const number =
  (compare: Comparison): Rule =>
  (value, name) => [{ kind: 'archive_number', compare, value: readInteger(name, value) }];

/** Of what no document has here: which of those it has, and whether it has one. */
const nothing: Rule = () => NEVER;
const noneHas: Rule = (value, name) => (readBoolean(name, value) ? NEVER : []);

const inbox: Rule = (value, name) => [{ kind: 'inbox', is_given: readBoolean(name, value) }];
const path =
  (match: 'any' | 'none'): Rule =>
  (value, name) => [{ kind: 'path', match, numbers: readIntegers(name, value) }];
const pathMissing: Rule = (value, name) => [{ kind: 'path given', is_given: !readBoolean(name, value) }];

const refused: Rule = (_value, name) => {
  throw refuseField(name, 'is not supported');
};

/** Words of a search of the whole document by what it is called and filed under. */
const MAX_WORDS = 20;
const SEARCHED = ['title', 'correspondent', 'document_type', 'tag'] as const satisfies readonly TextField[];

const somewhere = (word: string): NumberedCondition => ({
  kind: 'either',
  of: SEARCHED.map((field): DocumentCondition => ({ kind: 'text', field, compare: 'icontains', text: word })),
});

/** Each word has to stand somewhere. */
const names: Rule = (value) =>
  value
    .split(/[\s,]/)
    .filter((word) => word !== '')
    .slice(0, MAX_WORDS)
    .map(somewhere);

const ORDERS = ['gt', 'gte', 'lt', 'lte'] as const satisfies readonly Comparison[];

const TEXTS = {
  title: 'title',
  original_filename: 'original_filename',
  checksum: 'checksum',
  mime_type: 'mime_type',
  correspondent__name: 'correspondent',
  document_type__name: 'document_type',
  tags__name: 'tag',
  custom_fields: 'custom_fields',
} as const satisfies Record<string, TextField>;

const REFERENCES = {
  id: 'document',
  tags__id: 'tag',
  correspondent__id: 'correspondent',
  document_type__id: 'document_type',
  owner__id: 'owner',
  custom_fields__id: 'custom_field',
} as const satisfies Record<string, ReferenceField>;

const textRules = Object.entries(TEXTS).flatMap(([name, field]) =>
  TEXT_COMPARISONS.map((compare): [string, Rule] => [`${name}__${compare}`, text(field, compare)]),
);

const referenceRules = Object.entries(REFERENCES).flatMap(([name, field]): [string, Rule][] => [
  [name, reference(field, 'any')],
  [`${name}__in`, reference(field, 'any')],
  [`${name}__all`, reference(field, 'all')],
  [`${name}__none`, reference(field, 'none')],
]);

const dateRules = (['created', 'added', 'modified'] as const).flatMap((field): [string, Rule][] => [
  [`${field}__date`, day(field, 'equal')],
  ...ORDERS.map((compare): [string, Rule] => [`${field}__date__${compare}`, day(field, compare)]),
  ...ORDERS.map((compare): [string, Rule] => [`${field}__${compare}`, moment(field, compare)]),
  ...(['year', 'month', 'day'] as const).map((name): [string, Rule] => [`${field}__${name}`, part(field, name)]),
]);

/** Every filter of documents in Paperless that is known here, by its parameter. */
export const FILTERS: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ...textRules,
  ...referenceRules,
  ...dateRules,
  ['mime_type', text('mime_type', 'iexact')],
  ['search', names],
  ['is_tagged', given('tag', true)],
  ['has_custom_fields', given('custom_field', true)],
  ['correspondent__isnull', given('correspondent', false)],
  ['document_type__isnull', given('document_type', false)],
  ['archive_serial_number__isnull', given('archive_number', false)],
  ['archive_serial_number', number('equal')],
  ...ORDERS.map((compare): [string, Rule] => [`archive_serial_number__${compare}`, number(compare)]),
  ['owner__isnull', noneHas],
  ['is_in_inbox', inbox],
  ['shared_by__id', nothing],
  ['storage_path__isnull', pathMissing],
  ['storage_path__id', path('any')],
  ['storage_path__id__in', path('any')],
  ['storage_path__id__all', nothing],
  ['storage_path__id__none', path('none')],
  ...TEXT_COMPARISONS.map((compare): [string, Rule] => [`storage_path__name__${compare}`, nothing]),
  ...(['istartswith', 'iendswith', 'iexact'] as const).map((compare): [string, Rule] => [`content__${compare}`, refused]),
]);

/** A filter of the list of documents with its values; several only of those that take a list. */
export interface Parameter {
  readonly name: string;
  readonly values: readonly string[];
}

const nameIn = (names: Readonly<Record<string, string>>, wanted: string): string =>
  Object.entries(names).find(([, field]) => field === wanted)?.[0] ?? '';

const one = (name: string, value: string | number | boolean): Parameter => ({ name, values: [String(value)] });

/** The number as a filter of Paperless takes it; undefined for one that is none there. */
const oneInteger = (name: string, value: number): Parameter | undefined => (isInteger(String(value)) ? one(name, value) : undefined);

const referenceParameter = (field: ReferenceField, match: 'all' | 'any' | 'none', numbers: readonly number[]): Parameter | undefined => {
  if (numbers.length === 0) return undefined;
  const name = nameIn(REFERENCES, field);
  const values = numbers.map(String);
  if (match !== 'any') return { name: `${name}__${match}`, values };
  return { name: field === 'owner' && values.length === 1 ? name : `${name}__in`, values };
};

const GIVEN: Readonly<Record<string, string>> = {
  tag: 'is_tagged',
  custom_field: 'has_custom_fields',
};

/** The filters that the words of a search are. */
export const WORDS: Readonly<Record<string, readonly ('title' | 'content')[]>> = {
  content__icontains: ['content'],
  title_content: ['title', 'content'],
  text: ['title', 'content'],
  title_search: ['title'],
};

/** The filter that says what a condition does; undefined where there is none. Conditions on custom fields are a query of their own. */
export const toParameter = (
  condition: Exclude<DocumentCondition, { readonly kind: 'fields' | 'reference' | 'like' }> | ReferenceCondition,
): Parameter | undefined => {
  switch (condition.kind) {
    case 'never':
      return one('is_in_inbox', true);
    case 'reference':
      return referenceParameter(condition.field, condition.match, condition.numbers);
    case 'given': {
      const { field, is_given: isGiven } = condition;
      const name = GIVEN[field];
      if (name !== undefined) return one(name, isGiven);
      return one(`${field === 'archive_number' ? 'archive_serial_number' : field}__isnull`, !isGiven);
    }
    case 'text':
      if (condition.field === 'mime_type' && condition.compare === 'iexact') return one('mime_type', condition.text);
      return one(`${nameIn(TEXTS, condition.field)}__${condition.compare}`, condition.text);
    case 'words': {
      const [name] = Object.entries(WORDS).find(([, fields]) => fields.join(' ') === condition.fields.join(' ')) ?? [];
      return name === undefined ? undefined : one(name, condition.text);
    }
    case 'day':
      return one(
        condition.compare === 'equal' ? `${condition.field}__date` : `${condition.field}__date__${condition.compare}`,
        condition.day,
      );
    case 'moment':
      return one(`${condition.field}__${condition.compare}`, condition.moment);
    case 'part':
      return oneInteger(`${condition.field}__${condition.part}`, condition.value);
    case 'archive_number':
      return oneInteger(`archive_serial_number${condition.compare === 'equal' ? '' : `__${condition.compare}`}`, condition.value);
  }
};
