import type { AdvancedSearchRequest, SearchClause } from '@sheaf/contract/search';
import { type Clause, type Comparison, cleanText, type Query, type Term, type WordField } from './query.ts';

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
