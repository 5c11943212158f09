import type { AdvancedSearchRequest } from '@sheaf/contract/search';
import type { Db } from '@sheaf/db';
import { findFieldsByName } from '@sheaf/documents/custom-fields';
import { ANY, fieldNameOf, isFieldTerm } from './field-terms.ts';
import { readQuery } from './parse-query.ts';
import { isCondition, type Query } from './query.ts';
import { type QueryWarning, WarningList } from './query-warnings.ts';

/** Warns of custom fields that do not exist, or cannot be searched as links cannot. */
export const warnOfFields = async (db: Db, { must, should, mustNot }: Query): Promise<readonly QueryWarning[]> => {
  const terms = [...must, ...should, ...mustNot].flat().filter(isCondition).filter(isFieldTerm);
  const names = [...new Set(terms.map(fieldNameOf))].filter((name) => name !== ANY);
  const warnings = new WarningList();
  const known = names.length === 0 ? new Map() : await findFieldsByName(db, names);
  for (const name of names) if ((known.get(name)?.type ?? 'document') === 'document') warnings.add('unknown_custom_field', name);
  return warnings.all;
};

/** What of a query that is kept was not understood. */
export const warningsOf = async (db: Db, text: string): Promise<readonly QueryWarning[]> => {
  const { query, warnings } = readQuery(text);
  return [...warnings, ...(await warnOfFields(db, query))];
};

const WORD_CLAUSES: ReadonlySet<string> = new Set(['any', 'title', 'filename', 'content', 'note']);

/** Warns of clauses that ask for words and have none, which are as if they were not there. */
export const warningsOfClauses = ({ must, should, must_not: mustNot }: AdvancedSearchRequest['query']): readonly QueryWarning[] => {
  const warnings = new WarningList();
  for (const { field, value } of [...must, ...should, ...mustNot])
    if (WORD_CLAUSES.has(field) && !/[\p{L}\p{N}]/u.test(String(value))) warnings.add('no_words', String(value));
  return warnings.all;
};
