import type { FieldValue } from '@sheaf/contract/documents';
import type { FieldQuery } from '@sheaf/contract/search';
import type { Reach } from '@sheaf/db';
import { fieldCondition } from '@sheaf/documents/custom-fields';
import type { FieldOperator, FieldType } from '@sheaf/vocabulary/custom-fields';
import { z } from 'zod';
import { type FieldKind, fromPaperlessValue, toPaperlessValue } from '../document-parts.ts';
import type { PaperlessKind } from '../ids.ts';
import { refuseField } from './values.ts';

const PARAMETER = 'custom_field_query';

/** As in Paperless: how deep expressions may stand in each other, and how many comparisons there may be. */
const MAX_DEPTH = 10;
const MAX_COMPARISONS = 20;
/** Values of one comparison. */
const MAX_VALUES = 100;

const refuse = (message: string) => refuseField(PARAMETER, message);

/** A comparison as it is written. */
interface Comparison {
  readonly field: string | number;
  readonly operator: string;
  readonly value: unknown;
}

type Expression =
  | { readonly kind: 'and' | 'or'; readonly of: readonly Expression[] }
  | { readonly kind: 'not'; readonly of: Expression }
  | { readonly kind: 'comparison'; readonly comparison: Comparison };

const list = z.array(z.unknown());
const comparison = z.tuple([z.union([z.string().max(200), z.int()]), z.string().max(50), z.unknown()]);

/** Reads the form of an expression; `count` is called for each comparison. Throws VALIDATION_ERROR. */
const readExpression = (given: unknown, depth: number, count: () => void): Expression => {
  if (depth > MAX_DEPTH) throw refuse(`Maximum query depth of ${MAX_DEPTH} exceeded.`);
  const { data: parts = [] } = list.safeParse(given);
  const [first, second] = parts;
  const how = typeof first === 'string' && parts.length === 2 ? first.toUpperCase() : undefined;
  if (how === 'NOT') return { kind: 'not', of: readExpression(second, depth + 1, count) };
  if (how === 'AND' || how === 'OR') {
    const { data: of = [] } = list.safeParse(second);
    if (of.length === 0) throw refuse(`Expected a list of expressions after ${how}.`);
    return { kind: how === 'AND' ? 'and' : 'or', of: of.map((each) => readExpression(each, depth + 1, count)) };
  }
  const { data } = comparison.safeParse(given);
  if (data === undefined) throw refuse('Invalid custom field query expression.');
  count();
  const [field, operator, value] = data;
  return { kind: 'comparison', comparison: { field, operator, value } };
};

const parse = (text: string): Expression => {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw refuse('Value must be valid JSON.');
  }
  let comparisons = 0;
  return readExpression(given, 1, () => {
    comparisons += 1;
    if (comparisons > MAX_COMPARISONS) throw refuse(`Maximum number of query conditions of ${MAX_COMPARISONS} exceeded.`);
  });
};

const OWN_OPERATORS: Readonly<Record<string, FieldOperator>> = {
  exact: 'eq',
  gt: 'gt',
  gte: 'gte',
  lt: 'lt',
  lte: 'lte',
  icontains: 'contains',
};

const TEXT_TYPES: ReadonlySet<FieldType> = new Set(['text', 'long_text', 'url', 'choice']);

const readBoolean = (value: unknown): boolean => {
  if (typeof value !== 'boolean') throw refuse('must be true or false');
  return value;
};

const readValues = (value: unknown): unknown[] => {
  const { data } = list.max(MAX_VALUES).safeParse(value);
  if (data === undefined) throw refuse(`Expected a list of at most ${MAX_VALUES} values.`);
  return data;
};

const simple = z.union([z.string().max(10_000), z.number(), z.boolean(), z.object({ amount: z.string(), currency: z.string() })]);

/** A custom field with the number and the name that it has there. */
export interface NumberedField {
  readonly number: number;
  readonly name: string;
  readonly kind: FieldKind;
  /** What can be chosen by the ids that choices have there; missing where a choice is its own id. */
  readonly choices?: ReadonlyMap<string, string>;
}

/** What queries on custom fields are read with. */
export interface FieldNames {
  /** What may be compared, such as linked documents. */
  readonly reach: Reach;
  fields(): Promise<readonly NumberedField[]>;
  /** The ids behind numbers; those that are no number of the kind are missing. */
  find(kind: PaperlessKind, numbers: readonly number[]): Promise<ReadonlyMap<number, string>>;
}

/** Makes conditions of comparisons. */
class Conditions {
  readonly #names: FieldNames;
  readonly #fieldOf: (field: string | number) => NumberedField | undefined;

  constructor(names: FieldNames, fields: readonly NumberedField[]) {
    this.#names = names;
    const known = new Map<string | number, NumberedField>([
      ...fields.map((field) => [field.name, field] as const),
      ...fields.map((field) => [field.number, field] as const),
    ]);
    this.#fieldOf = (field) => known.get(field);
  }

  async of(expression: Expression): Promise<FieldQuery> {
    if (expression.kind === 'not') return { kind: 'not', of: await this.of(expression.of) };
    if (expression.kind === 'comparison') return this.#compare(expression.comparison);
    const of: FieldQuery[] = [];
    for (const each of expression.of) of.push(await this.of(each));
    return { kind: expression.kind, of };
  }

  async #compare({ field: given, operator, value }: Comparison): Promise<FieldQuery> {
    const field = this.#fieldOf(given);
    if (field === undefined) throw refuse(`"${given}" is not a valid custom field.`);
    const { id, type } = field.kind;
    const test = (own: FieldOperator, against: unknown): Promise<FieldQuery> => this.#test(field, own, against);
    switch (operator) {
      case 'exists':
        return { kind: 'given', field_id: id, is_given: readBoolean(value) };
      case 'isnull':
        return { kind: 'valued', field_id: id, is_given: !readBoolean(value) };
      case 'in':
        return { kind: 'or', of: await Promise.all(readValues(value).map((each) => test('eq', each))) };
      case 'contains':
        if (type !== 'document') break;
        return oneOrAll(await Promise.all(readValues(value).map((each) => test('eq', [each]))));
      case 'range': {
        const [from, to, ...others] = readValues(value);
        if (to === undefined || others.length > 0) throw refuse('Expected a list of two values.');
        return { kind: 'and', of: [await test('gte', from), await test('lte', to)] };
      }
      case 'istartswith':
      case 'iendswith':
        if (!TEXT_TYPES.has(type) || typeof value !== 'string') break;
        return { kind: 'text', field_id: id, compare: operator, text: value };
    }
    const own = OWN_OPERATORS[operator];
    if (own === undefined) throw refuse(`${field.name} does not support query expr '${operator}'.`);
    return value === null && own === 'eq' ? { kind: 'valued', field_id: id, is_given: false } : test(own, value);
  }

  async #test({ kind, name, choices }: NumberedField, operator: FieldOperator, given: unknown): Promise<FieldQuery> {
    const own = await fromPaperlessValue(kind, given, (number) => this.#documentOf(number));
    const { data } = simple.safeParse(typeof own === 'string' ? (choices?.get(own) ?? own) : own);
    const value: FieldValue | undefined = data;
    if (value === undefined) throw refuse(`Invalid value for ${name}.`);
    const made = fieldCondition({ ...kind, choices: [] }, { operator, value }, this.#names.reach);
    if ('issueAt' in made) throw refuse(`${name}: ${made.issueAt(PARAMETER).message}`);
    return { kind: 'compared', field_id: kind.id, operator, value };
  }

  async #documentOf(number: number): Promise<string> {
    const id = (await this.#names.find('document', [number])).get(number);
    if (id === undefined) throw refuse(`Document ${number} does not exist.`);
    return id;
  }
}

const oneOrAll = (of: readonly FieldQuery[]): FieldQuery => (of.length === 1 && of[0] !== undefined ? of[0] : { kind: 'and', of });

/**
 * What a `custom_field_query` asks, such as `["AND", [["Amount", "gt", 5], [7, "exists", true]]]`; a field is named by its number or its name. Throws
 * VALIDATION_ERROR where the query makes no sense.
 */
export const readFieldQuery = async (names: FieldNames, text: string): Promise<FieldQuery> =>
  new Conditions(names, await names.fields()).of(parse(text));

/** What queries on custom fields are written with; undefined where something has no number. */
export interface FieldNumbers {
  fieldOf(id: string): NumberedField | undefined;
  numberOf(kind: PaperlessKind, id: string): number | undefined;
}

const PAPERLESS_OPERATORS = Object.fromEntries(Object.entries(OWN_OPERATORS).map(([name, own]) => [own, name])) as Readonly<
  Partial<Record<FieldOperator, string>>
>;

type ComparisonQuery = Extract<FieldQuery, { readonly field_id: string }>;

const comparisonOf = (query: ComparisonQuery, { number, kind, choices }: NumberedField, numbers: FieldNumbers): unknown => {
  switch (query.kind) {
    case 'given':
      return [number, 'exists', query.is_given];
    case 'valued':
      return [number, 'isnull', !query.is_given];
    case 'text':
      return query.compare === 'istartswith' || query.compare === 'iendswith' ? [number, query.compare, query.text] : undefined;
    case 'compared': {
      const { operator, value } = query;
      if (kind.type === 'document') {
        const linked = typeof value === 'string' ? numbers.numberOf('document', value) : undefined;
        return operator === 'eq' && linked !== undefined ? [number, 'contains', [linked]] : undefined;
      }
      const own = toPaperlessValue(kind, value, () => 0);
      const [chosen = own] = [...(choices ?? [])].find(([, choice]) => choice === value) ?? [];
      const name = PAPERLESS_OPERATORS[operator];
      return name === undefined || own === '' ? undefined : [number, name, chosen];
    }
  }
};

/** A query as it is written, with all of its comparisons; undefined where Paperless cannot ask it. */
const expressionOf = (query: FieldQuery, numbers: FieldNumbers, depth: number, count: () => boolean): unknown => {
  if (depth > MAX_DEPTH) return undefined;
  switch (query.kind) {
    case 'not': {
      const of = expressionOf(query.of, numbers, depth + 1, count);
      return of === undefined ? undefined : ['NOT', of];
    }
    case 'and':
    case 'or': {
      const of = query.of.map((each) => expressionOf(each, numbers, depth + 1, count));
      return of.length === 0 || of.includes(undefined) ? undefined : [query.kind.toUpperCase(), of];
    }
    default: {
      const field = numbers.fieldOf(query.field_id);
      return field === undefined || !count() ? undefined : comparisonOf(query, field, numbers);
    }
  }
};

/** The `custom_field_query` that asks the same; undefined where there is none. */
export const writeFieldQuery = (query: FieldQuery, numbers: FieldNumbers): string | undefined => {
  let comparisons = 0;
  const expression = expressionOf(query, numbers, 1, () => (comparisons += 1) <= MAX_COMPARISONS);
  return expression === undefined ? undefined : JSON.stringify(expression);
};
