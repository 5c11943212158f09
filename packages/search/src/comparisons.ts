import { rowId } from '@sheaf/contract';
import { type SQL, sql } from '@sheaf/db/drizzle';
import type { Comparison } from './query.ts';

/** `%`, `_` and the backslash stand for themselves. After sheaf_plain, as that makes such signs of others. */
const asPattern = (text: string): SQL => sql`regexp_replace(sheaf_plain(${text}), '([\\\\%_])', '\\\\\\1', 'g')`;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** `value` is SQL for a text. */
export const compares = (value: SQL, compare: Comparison, text: string): SQL => {
  switch (compare) {
    case 'equal':
      return sql`lower(${value}) = lower(${text})`;
    case 'contains':
      return sql`sheaf_plain(${value}) like '%' || ${asPattern(text)} || '%'`;
    case 'words': {
      const words = text.match(WORD) ?? [];
      return words.length === 0
        ? sql`false`
        : sql`(${sql.join(
            words.map((word) => compares(value, 'contains', word)),
            sql` and `,
          )})`;
    }
  }
};

/** As the index on sheaf_plain can answer it, which also has the equals among those alike but for accents. */
export const comparesIndexed = (value: SQL, compare: Comparison, text: string): SQL =>
  compare === 'equal'
    ? sql`sheaf_plain(${value}) like ${asPattern(text)} and ${compares(value, compare, text)}`
    : compares(value, compare, text);

export const isId = (text: string): boolean => rowId.safeParse(text).success;
