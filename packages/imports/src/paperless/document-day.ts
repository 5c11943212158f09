const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 86_400_000;

const isDay = (text: string): boolean =>
  DAY.test(text) && text >= '1000-01-01' && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;

/** Whether a clock may show midnight then, in one of the time zones: they differ by quarters of an hour. */
const mayBeMidnight = (at: Date): boolean => at.getTime() % (15 * 60_000) === 0;

/**
 * The day of a document; undefined where there is none. Versions before 2.16 write a time in UTC, most often that of a midnight in a
 * time zone that is not told: the nearest midnight is that one.
 */
export const toDocumentDay = (created: string): string | undefined => {
  if (DAY.test(created)) return isDay(created) ? created : undefined;
  const at = new Date(created);
  if (!/^\d{4}-\d{2}-\d{2}T/.test(created) || Number.isNaN(at.getTime())) return undefined;
  const day = new Date(mayBeMidnight(at) ? Math.round(at.getTime() / DAY_MS) * DAY_MS : at).toJSON().slice(0, 10);
  return isDay(day) ? day : undefined;
};
