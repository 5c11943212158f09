import type { TextComparison } from '@sheaf/contract/search';
import { type SQL, sql } from '@sheaf/db/drizzle';

/** Compared without patterns, so that no character of the text means anything else. */
export const compareText = (column: SQL, compare: TextComparison, text: string): SQL => {
  switch (compare) {
    case 'icontains':
      return sql`position(lower(${text}) in lower(${column})) > 0`;
    case 'istartswith':
      return sql`starts_with(lower(${column}), lower(${text}))`;
    case 'iendswith':
      return sql`right(lower(${column}), length(lower(${text}))) = lower(${text})`;
    case 'iexact':
      return sql`lower(${column}) = lower(${text})`;
  }
};
