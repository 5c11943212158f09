import type { AdvancedSearchRequest, SearchClause } from '@sheaf/contract/search';
import { type FilterField, WORDED_FIELDS, type WordedField } from '@sheaf/vocabulary/document-fields';
import { readDayRange, readMomentRange, readNumberRange } from './ranges.ts';

/** What people type for the facts of documents, and the fields of a query that they are. */
const FACT_FIELDS = {
  from: 'correspondent',
  type: 'document_type',
  imported: 'imported_from',
  created: 'created',
  added: 'added',
  modified: 'modified',
  owner: 'owner',
  // `Object.fromEntries` does not keep which word has which field
  ...(Object.fromEntries(WORDED_FIELDS.map(({ word, key }) => [word, key])) as {
    readonly [Field in WordedField as Field['word']]: Field['key'];
  }),
} as const satisfies Record<string, FactField | RangeField | 'owner'>;
export type FactName = keyof typeof FACT_FIELDS;
export const FACT_NAMES = Object.keys(FACT_FIELDS);

const NONE = 'none';
const isNone = (text: string): boolean => text.toLowerCase() === NONE;

export const isFactName = (name: string): name is FactName => Object.hasOwn(FACT_FIELDS, name);

/** How the range of a value is read, by its kind. */
const READERS = { day: readDayRange, number_from_1: readNumberRange } as const satisfies Record<WordedField['kind'], unknown>;

const RANGES = {
  created: readDayRange,
  added: readMomentRange,
  modified: readMomentRange,
  ...(Object.fromEntries(WORDED_FIELDS.map(({ word, kind }) => [word, READERS[kind]])) as {
    readonly [Field in WordedField as Field['word']]: (typeof READERS)[Field['kind']];
  }),
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

const COMPARISONS = { match: 'words', contains: 'contains', exact: 'equal' } as const satisfies Record<SearchClause['type'], Comparison>;

/** In fields of running text: all words, words in a row of which the first begins earlier and the last goes on, words in a row. */
const wordsTerm = (field: WordField | undefined, type: SearchClause['type'], text: string): Term => ({
  text,
  ...(field === undefined ? {} : { field }),
  prefix: type === 'contains',
  ...(type === 'contains' ? { inside: true } : {}),
  ...(type === 'match' ? { inAnyOrder: true } : {}),
});

const toTerm = ({ field, type, value }: SearchClause): Term => {
  const text = cleanText(String(value));
  switch (field) {
    case 'any':
      return wordsTerm(undefined, type, text);
    case 'content':
    case 'note':
      return wordsTerm(field, type, text);
    case 'title':
    case 'filename':
      return type === 'match' ? wordsTerm(field, type, text) : { field, compare: COMPARISONS[type], text, prefix: false };
    case 'label':
    case 'labels':
      return { field: 'label', compare: type === 'contains' ? 'contains' : 'equal', text, prefix: false };
    default:
      return { field: `metadata.${cleanText(field.slice('metadata.'.length))}`, compare: COMPARISONS[type], text, prefix: false };
    case 'mime_type':
    case 'status':
    case 'source':
    case 'created_at':
    case 'correspondent':
    case 'document_type':
      return { field, compare: COMPARISONS[type], text, prefix: false };
  }
};

const toClauses = (clauses: readonly SearchClause[]): Clause[] => clauses.map((clause) => [toTerm(clause)]);

/** The clauses of an advanced search as a query. What each type means in each field stands in the contract. */
export const advancedQuery = ({ must, should, must_not }: AdvancedSearchRequest['query']): Query => ({
  must: toClauses(must),
  should: toClauses(should),
  mustNot: toClauses(must_not),
});

/** Parts of a document whose words can be asked for by themselves. Without a field: in any of them. */
export const WORD_FIELDS = ['title', 'filename', 'content', 'note'] as const;
export type WordField = (typeof WORD_FIELDS)[number];

/** What is known of a document, or is not. */
export type FactField = FilterField['key'] | 'correspondent' | 'document_type' | 'imported_from';

/** `created`: the day of the document, or the day on which it was added where it bears none. */
export type RangeField = FilterField['key'] | 'created' | 'added' | 'modified';

/** What is compared with a text, as a whole instead of by its words. */
type TextField =
  | 'title'
  | 'filename'
  | 'label'
  | 'mime_type'
  | 'status'
  | 'source'
  | 'created_at'
  | 'correspondent'
  | 'document_type'
  | 'imported_from'
  | 'owner'
  | `metadata.${string}`;

/** `equal` ignores case; `contains` and `words`, which wants each of its words, ignore accents as well. */
export type Comparison = 'equal' | 'contains' | 'words';

interface AnyTerm {
  /** The clause holds where the term does not. */
  readonly negated?: true;
}

/** One word, or several that stand one after the other. */
export interface WordsTerm extends AnyTerm {
  readonly text: string;
  readonly field?: WordField;
  /** The last word may go on. */
  readonly prefix: boolean;
  /** The first word may begin earlier. */
  readonly inside?: boolean;
  /** Its words may stand apart, in any order. */
  readonly inAnyOrder?: boolean;
  readonly compare?: undefined;
}

interface AnyCondition extends AnyTerm {
  readonly text: string;
  readonly prefix: false;
}

export interface TextTerm extends AnyCondition {
  readonly field: TextField;
  readonly compare: Comparison;
}

/** `text` is a range as ranges.ts reads it. */
export interface RangeTerm extends AnyCondition {
  readonly field: RangeField;
  readonly compare: 'range';
}

/** A custom field by its name; `field.*` is any. */
export type CustomField = `field.${string}`;

/** `value` is compared with each type of value that the text can be read as, `words` with texts alone; `given` is any value. */
export interface CustomFieldTerm extends AnyCondition {
  readonly field: CustomField;
  readonly compare: 'value' | 'words' | 'missing' | 'given';
}

export interface MissingTerm extends AnyCondition {
  readonly field: FactField;
  readonly compare: 'missing';
}

/** What a document must be, whatever its words: a type, a label, a whole title, a value of its metadata, its day. */
export type ConditionTerm = TextTerm | RangeTerm | MissingTerm | CustomFieldTerm;

export type Term = WordsTerm | ConditionTerm;

export const isCondition = (term: Term): term is ConditionTerm => term.compare !== undefined;
export const isOfWords = (term: Term): term is WordsTerm => term.compare === undefined;

/** Holds when any of its terms does. */
export type Clause = readonly Term[];

/**
 * What is looked for: all of `must`, none of `mustNot`, and at least one of `should` where `must` is empty. What matches of
 * `should` only raises the score otherwise. Nothing asked for and nothing excluded is every document.
 */
export interface Query {
  readonly must: readonly Clause[];
  readonly should: readonly Clause[];
  readonly mustNot: readonly Clause[];
}

export const EMPTY_QUERY: Query = { must: [], should: [], mustNot: [] };

export const asksForNothing = (query: Query): boolean => query.must.length === 0 && query.should.length === 0;

/** The text of a query as PostgreSQL accepts it. Not `storableText`: a NUL separates words here, as it does in the index. */
export const cleanText = (text: string): string => text.replaceAll('\0', ' ').toWellFormed();
