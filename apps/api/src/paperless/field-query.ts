import type { FieldValue } from '@sheaf/contract/documents';
import type { FieldQuery } from '@sheaf/contract/search';
import { type Db, readingReach } from '@sheaf/db';
import { fieldCondition } from '@sheaf/documents/custom-fields';
import { type FieldKind, findByNumbers, numbersOf, readFieldKinds } from '@sheaf/paperless';
import type { FieldOperator, FieldType } from '@sheaf/vocabulary/custom-fields';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { fromPaperlessValue } from './document-changes.ts';
import { refuseField } from './query.ts';

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

/** Reads the form of an expression; `count` is told of each comparison. Throws VALIDATION_ERROR. */
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

/** Makes conditions of comparisons. */
class Conditions {
  readonly #db: Db;
  readonly #principal: Principal;
  readonly #fieldOf: (field: string | number) => FieldKind | undefined;

  constructor(db: Db, principal: Principal, fieldOf: (field: string | number) => FieldKind | undefined) {
    this.#db = db;
    this.#principal = principal;
    this.#fieldOf = fieldOf;
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
    const { id } = field;
    const test = (own: FieldOperator, against: unknown): Promise<FieldQuery> => this.#test(field, own, against);
    switch (operator) {
      case 'exists':
        return { kind: 'given', field_id: id, is_given: readBoolean(value) };
      case 'isnull':
        return { kind: 'valued', field_id: id, is_given: !readBoolean(value) };
      case 'in':
        return { kind: 'or', of: await Promise.all(readValues(value).map((each) => test('eq', each))) };
      case 'contains':
        if (field.type !== 'document') break;
        return { kind: 'and', of: await Promise.all(readValues(value).map((each) => test('eq', [each]))) };
      case 'range': {
        const [from, to, ...others] = readValues(value);
        if (to === undefined || others.length > 0) throw refuse('Expected a list of two values.');
        return { kind: 'and', of: [await test('gte', from), await test('lte', to)] };
      }
      case 'istartswith':
      case 'iendswith':
        if (!TEXT_TYPES.has(field.type) || typeof value !== 'string') break;
        return { kind: 'text', field_id: id, compare: operator, text: value };
    }
    const own = OWN_OPERATORS[operator];
    if (own === undefined) throw refuse(`${field.name} does not support query expr '${operator}'.`);
    return value === null && own === 'eq' ? { kind: 'valued', field_id: id, is_given: false } : test(own, value);
  }

  async #test(field: FieldKind, operator: FieldOperator, given: unknown): Promise<FieldQuery> {
    const { data } = simple.safeParse(await fromPaperlessValue(field, given, (number) => this.#documentOf(number)));
    const value: FieldValue | undefined = data;
    if (value === undefined) throw refuse(`Invalid value for ${field.name}.`);
    const made = fieldCondition({ ...field, choices: [] }, { operator, value }, readingReach(this.#principal));
    if ('issueAt' in made) throw refuse(`${field.name}: ${made.issueAt(PARAMETER).message}`);
    return { kind: 'compared', field_id: field.id, operator, value };
  }

  async #documentOf(number: number): Promise<string> {
    const id = (await findByNumbers(this.#db, 'document', [number])).get(number);
    if (id === undefined) throw refuse(`Document ${number} does not exist.`);
    return id;
  }
}

/**
 * What a `custom_field_query` asks, such as `["AND", [["Amount", "gt", 5], [7, "exists", true]]]`; a field is named by its number or its name. Throws
 * VALIDATION_ERROR where the query makes no sense.
 */
export const readFieldQuery = async (db: Db, principal: Principal, text: string): Promise<FieldQuery> => {
  const expression = parse(text);
  const kinds = await readFieldKinds(db);
  const numberOf = await numbersOf(
    db,
    kinds.map(({ id }) => ({ kind: 'custom_field', id })),
  );
  const known = new Map<string | number, FieldKind>([
    ...kinds.map((kind) => [kind.name, kind] as const),
    ...kinds.map((kind) => [numberOf('custom_field', kind.id), kind] as const),
  ]);
  return new Conditions(db, principal, (field) => known.get(field)).of(expression);
};
