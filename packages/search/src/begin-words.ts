import { type SQL, sql } from '@sheaf/db/drizzle';

/** A text as `beginsWords` compares it: its words without case, accents and signs. */
export const plainWords = (text: SQL): SQL => sql`sheaf_plain(sheaf_words(${text}))`;

/** Whether a plain text has all words, each at the beginning of one of its own. A word has no sign that means something in a pattern. */
export const beginsWords = (plain: SQL, words: readonly string[]): SQL =>
  sql.join(
    words.map((word) => sql`(${plain} like sheaf_plain(${word}) || '%' or ${plain} like '% ' || sheaf_plain(${word}) || '%')`),
    sql` and `,
  );

/** The longest of them, which parts most from the rest. */
export const longestOf = (words: readonly string[]): string => words.reduce((a, b) => (b.length > a.length ? b : a), '');
