/** Whether one becomes the other by one digit that is changed, added or left out, which happens in each other scan. */
const isNear = (one: string, other: string): boolean => {
  if (Math.abs(one.length - other.length) > 1) return false;
  const [shorter, longer] = one.length < other.length ? [one, other] : [other, one];
  let start = 0;
  while (start < shorter.length && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < shorter.length - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return longer.length - start - end <= 1;
};

/** More numbers are not compared with each other one by one. */
const MAX_NUMBERS = 200;
/** Shorter ones are near each other by chance. */
const MIN_NEAR_DIGITS = 4;
const NEAR_COUNTS = 0.7;

/** The share of the numbers of the shorter list that are in the other one, those that differ in a digit counted in part. */
const shareFound = (one: readonly string[], other: readonly string[]): number => {
  const left = new Set(other.slice(0, MAX_NUMBERS));
  const missing: string[] = [];
  let found = 0;
  for (const number of one.slice(0, MAX_NUMBERS)) {
    if (left.delete(number)) found += 1;
    else missing.push(number);
  }
  for (const number of missing) {
    if (number.length < MIN_NEAR_DIGITS) continue;
    const near = [...left].find((candidate) => isNear(number, candidate));
    if (near === undefined) continue;
    left.delete(near);
    found += NEAR_COUNTS;
  }
  return towardsHalf(found, Math.min(one.length, other.length, MAX_NUMBERS));
};

/** A share of few says little: as if half of one more had been found. */
const towardsHalf = (found: number, all: number): number => Math.min(1, (found + 0.5) / (all + 1));

type Numbers = ReadonlyMap<string, number>;

const longer = (numbers: Numbers, digits: number): string[] => [...numbers.keys()].filter(({ length }) => length >= digits);

const commonShare = (one: Numbers, other: Numbers): number => {
  const smaller = Math.min(one.size, other.size);
  if (smaller === 0) return 1;
  return [...one.keys()].filter((number) => other.has(number)).length / smaller;
};

/** How well the numbers of two texts agree: each figure from 0 to 1. */
export const compareNumbers = (one: Numbers, other: Numbers) => ({
  numbers: commonShare(one, other),
  nearNumbers: shareFound(longer(one, 3), longer(other, 3)),
  nearLongNumbers: shareFound(longer(one, 4), longer(other, 4)),
});

/** Of the places where both texts have a number, the shares with the same one, and with one that differs in more than a digit. */
export const comparePlaces = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>) => {
  let [all, same, different] = [0, 0, 0];
  for (const [place, number] of one) {
    const there = other.get(place);
    if (there === undefined) continue;
    all += 1;
    if (there === number) same += 1;
    else if (!isNear(number, there)) different += 1;
  }
  return { same: (same + 1) / (all + 2), different: different / (all + 2) };
};
