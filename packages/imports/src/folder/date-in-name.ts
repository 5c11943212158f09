/** Years that a document in an archive has; what is outside of them is a number of another kind. */
const FIRST_YEAR = 1900;
const YEARS_AHEAD = 1;

/** A day as YYYY-MM-DD; undefined where there is none of that name. */
export const toDay = (year: number, month: number, day: number, now = new Date()): string | undefined => {
  if (year < FIRST_YEAR || year > now.getUTCFullYear() + YEARS_AHEAD) return undefined;
  const date = new Date(Date.UTC(year, month - 1, day));
  const isThere = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isThere ? date.toISOString().slice(0, 10) : undefined;
};

/** Of one length each, so that a long name costs no more than reading it. The year first, or the day first as on the continent. */
const FORMS = [
  { form: /(?<!\d)(?<year>\d{4})([-_. ])(?<month>\d\d)\2(?<day>\d\d)(?!\d)/g },
  { form: /(?<!\d)(?<day>\d\d)([-_. ])(?<month>\d\d)\2(?<year>\d{4})(?!\d)/g },
  { form: /(?<!\d)(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)(?!\d)/g },
] as const;

/**
 * The first day that a file name states, such as 2023-04-05, 2023_04_05, 20230405 or 05.04.2023; undefined where there is none. A name
 * like 04-05-2023 is read as the fourth of the month before the fifth only where the other way is no day.
 */
export const dateInName = (name: string, now = new Date()): string | undefined => {
  for (const { form } of FORMS)
    for (const { groups } of name.matchAll(form)) {
      const [year, month, day] = [groups?.['year'], groups?.['month'], groups?.['day']].map(Number);
      if (year === undefined || month === undefined || day === undefined) continue;
      const found = toDay(year, month, day, now) ?? toDay(year, day, month, now);
      if (found !== undefined) return found;
    }
  return undefined;
};
