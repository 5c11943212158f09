import type { ConditionTerm, CustomFieldTerm, FactField, RangeField } from './query.ts';
import { readDayRange, readMomentRange, readNumberRange } from './ranges.ts';

/** What people type for the facts of documents, and the fields of a query that they are. */
const FACT_FIELDS = {
  from: 'correspondent',
  type: 'document_type',
  date: 'document_date',
  asn: 'archive_number',
  imported: 'imported_from',
  created: 'created',
  added: 'added',
  modified: 'modified',
  owner: 'owner',
} as const satisfies Record<string, FactField | RangeField | 'owner'>;
export type FactName = keyof typeof FACT_FIELDS;
export const FACT_NAMES = Object.keys(FACT_FIELDS);

const NONE = 'none';
const isNone = (text: string): boolean => text.toLowerCase() === NONE;

export const isFactName = (name: string): name is FactName => Object.hasOwn(FACT_FIELDS, name);

const RANGES = {
  date: readDayRange,
  created: readDayRange,
  added: readMomentRange,
  modified: readMomentRange,
  asn: readNumberRange,
} as const;

/** Undefined for what every document has. */
const readMissing = (name: FactName): ConditionTerm | undefined => {
  const field = FACT_FIELDS[name];
  if (field === 'created' || field === 'added' || field === 'modified' || field === 'owner') return undefined;
  return { text: NONE, field, compare: 'missing', prefix: false };
};

/** Undefined where no document can be meant, as in `date:soon`. What stands in quotes may be called `none`. */
export const readFact = (name: FactName, text: string, isQuoted: boolean): ConditionTerm | undefined => {
  if (isNone(text) && !isQuoted && name !== 'owner') return readMissing(name);
  if (name === 'from' || name === 'type') return { text, field: FACT_FIELDS[name], compare: 'words', prefix: false };
  if (name === 'imported' || name === 'owner') return { text, field: FACT_FIELDS[name], compare: 'equal', prefix: false };
  const range = text.trim().replaceAll(/\s+/g, '-');
  return RANGES[name](range) === undefined ? undefined : { text: range, field: FACT_FIELDS[name], compare: 'range', prefix: false };
};

const NAMES: ReadonlyMap<string, string> = new Map(Object.entries(FACT_FIELDS).map(([name, field]) => [field, name]));

/** As readFact reads it; undefined for a term that is about no fact. `quote` puts a text in quotes where it needs them. */
export const writeFact = (
  { field, compare, text }: Exclude<ConditionTerm, CustomFieldTerm>,
  quote: (text: string) => string,
): string | undefined => {
  const name = NAMES.get(field);
  if (name === undefined) return undefined;
  if (compare === 'missing' || compare === 'range') return `${name}:${text}`;
  return `${name}:${isNone(text) ? `"${text}"` : quote(text)}`;
};
