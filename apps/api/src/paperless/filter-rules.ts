import { type DocumentCondition, TEXT_COMPARISONS, type TextComparison } from '@sheaf/contract/search';
import type { AnyCondition, Comparison, DateField, ReferenceField, TextField } from '@sheaf/search';
import { readBoolean, readInteger, readIntegers, refuseField } from './query.ts';

/** A condition whose ids are still numbers of Paperless. */
export type NumberedCondition =
  | Exclude<AnyCondition, { readonly kind: 'reference' }>
  | {
      readonly kind: 'reference';
      readonly field: ReferenceField;
      readonly match: 'all' | 'any' | 'none';
      readonly numbers: readonly number[];
    };

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

const DAY = /^\d{4}-\d{2}-\d{2}$/;

const isDay = (value: string): boolean => DAY.test(value) && new Date(`${value}T00:00:00Z`).toJSON()?.slice(0, 10) === value;

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
const everything: Rule = () => [];
const noneHas: Rule = (value, name) => (readBoolean(name, value) ? NEVER : []);
const allLack: Rule = (value, name) => (readBoolean(name, value) ? [] : NEVER);

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
export const FILTER_RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
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
  ['is_in_inbox', noneHas],
  ['shared_by__id', nothing],
  ['storage_path__isnull', allLack],
  ['storage_path__id', nothing],
  ['storage_path__id__in', nothing],
  ['storage_path__id__all', nothing],
  ['storage_path__id__none', everything],
  ...TEXT_COMPARISONS.map((compare): [string, Rule] => [`storage_path__name__${compare}`, nothing]),
  ...(['istartswith', 'iendswith', 'iexact'] as const).map((compare): [string, Rule] => [`content__${compare}`, refused]),
]);
