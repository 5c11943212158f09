const DAY_MS = 86_400_000;
/** PostgreSQL has no year 0, and JavaScript writes the year 10000 in a way of its own. */
const EARLIEST = Date.parse('0001-01-01T00:00:00Z');
const LATEST = Date.parse('9999-12-01T00:00:00Z');

const within = (time: number): Date => new Date(Math.min(LATEST, Math.max(EARLIEST, time)));

/** The first moment that `text` allows as the beginning of a range. */
export const notBefore = (text: string): Date => within(Date.parse(text));

/** The first moment after `text`. A date without a time means the whole day; a time, the whole of its millisecond, as answers show it. */
export const firstAfter = (text: string): Date => within(Date.parse(text) + (text.includes('T') ? 1 : DAY_MS));
