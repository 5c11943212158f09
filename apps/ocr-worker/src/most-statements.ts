/**
 * How many statements a worker sends for a text of one page, the second of its owner, from its claim to its end, `begin` and `commit` among them.
 * Each takes a tenth of a millisecond of the worker and as much of the server, or more. A test counts the real ones.
 */
export const MOST_STATEMENTS = 24;
