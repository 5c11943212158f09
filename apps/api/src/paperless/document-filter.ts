import type { Db } from '@sheaf/db';
import { findByNumbers, type PaperlessKind } from '@sheaf/paperless';
import type { AnyCondition, ReferenceField } from '@sheaf/search';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { readFieldQuery } from './field-query.ts';
import { FILTER_RULES, type NumberedCondition } from './filter-rules.ts';
import { type AnyQuery, lastOf, refuseField } from './query.ts';

const KINDS = {
  document: 'document',
  tag: 'tag',
  correspondent: 'correspondent',
  document_type: 'document_type',
  owner: 'user',
  custom_field: 'custom_field',
} as const satisfies Record<ReferenceField, PaperlessKind>;

/** All that is asked for of what does not exist: then nothing has all of it, or any of it, and everything has none of it. */
const withIds = (
  { field, match, numbers }: Extract<NumberedCondition, { readonly kind: 'reference' }>,
  found: ReadonlyMap<number, string>,
): AnyCondition[] => {
  const ids = numbers.flatMap((number) => found.get(number) ?? []);
  const isMissing = match === 'all' ? ids.length < numbers.length : match === 'any' && ids.length === 0;
  if (isMissing) return [{ kind: 'never' }];
  return ids.length === 0 ? [] : [{ kind: 'reference', field, match, ids }];
};

/** Throws VALIDATION_ERROR for a number that nothing has. */
const requireAll = (numbers: readonly number[], found: ReadonlyMap<number, string>): void => {
  const missing = numbers.find((number) => !found.has(number));
  if (missing !== undefined) throw refuseField('id', `Invalid pk "${missing}" - object does not exist.`);
};

/** An id among several that must all hold, such as `correspondent__id__all`, is one condition for each. */
const apart = (condition: AnyCondition): AnyCondition[] =>
  condition.kind === 'reference' && condition.match === 'all' && condition.field !== 'tag' && condition.field !== 'custom_field'
    ? condition.ids.map((id) => ({ ...condition, match: 'any', ids: [id] }))
    : [condition];

/** The conditions that the filters among `query` make; what is no filter is left out. `mustExist`: what numbers name has to be there. Throws VALIDATION_ERROR for values that make no sense. */
export const readConditions = async (
  db: Db,
  principal: Principal,
  query: AnyQuery,
  { mustExist = false }: { readonly mustExist?: boolean } = {},
): Promise<AnyCondition[]> => {
  const numbered = Object.entries(query).flatMap(([name, value]) => {
    const rule = FILTER_RULES.get(name);
    return rule === undefined ? [] : [value].flat().flatMap((each) => rule(each, name));
  });
  const numbers = new Map<ReferenceField, number[]>();
  for (const condition of numbered)
    if (condition.kind === 'reference') numbers.set(condition.field, [...(numbers.get(condition.field) ?? []), ...condition.numbers]);
  const found = new Map<ReferenceField, ReadonlyMap<number, string>>();
  for (const [field, wanted] of numbers) {
    const ids = await findByNumbers(db, KINDS[field], wanted);
    if (mustExist) requireAll(wanted, ids);
    found.set(field, ids);
  }
  const byFields = lastOf(query, 'custom_field_query')?.trim() ?? '';
  return [
    ...numbered
      .flatMap((condition) => (condition.kind === 'reference' ? withIds(condition, found.get(condition.field) ?? new Map()) : [condition]))
      .flatMap(apart),
    ...(byFields === '' ? [] : [{ kind: 'fields', query: await readFieldQuery(db, principal, byFields) } as const]),
  ];
};
