import { plainIssue, validationError } from '@sheaf/contract';
import type { DaysQuery } from '@sheaf/contract/operations';
import type { DaySpan } from '@sheaf/db';
import { DEFAULT_DAYS, MAX_DAYS } from '@sheaf/vocabulary/limits';

const DAY_MS = 86_400_000;

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

const invalid = (path: string, message: string) => validationError(`${path} ${message}`, { issues: [plainIssue(path, message)] });

/** The days that are asked for. Throws VALIDATION_ERROR for days before the first, for too many, and for two ways to say how many. */
export const toDaySpan = ({ days, from, to }: DaysQuery, now: Date): DaySpan => {
  if (days !== undefined && from !== undefined) throw invalid('days', 'cannot be combined with from');
  const last = Date.parse(to ?? dayOf(now.getTime()));
  const first = from === undefined ? last - ((days ?? DEFAULT_DAYS) - 1) * DAY_MS : Date.parse(from);
  if (first > last) throw invalid('from', 'must not be after to');
  if (last - first >= MAX_DAYS * DAY_MS) throw invalid('from', `and to must be no more than ${MAX_DAYS} days apart`);
  return { from: new Date(first), before: new Date(last + DAY_MS) };
};

/** Each day of `span`, as `2026-11-20`. */
export const daysOf = ({ from, before }: DaySpan): string[] => {
  const days: string[] = [];
  for (let time = from.getTime(); time < before.getTime(); time += DAY_MS) days.push(dayOf(time));
  return days;
};

/** For keys of the cache. */
export const spanName = ({ from, before }: DaySpan): string => `${dayOf(from.getTime())}/${dayOf(before.getTime())}`;
