import type { Box, PageWord } from '@sheaf/vocabulary/page-words';
import { type OcrReading, scoreOf, toReading } from './ocr-runner.ts';

/** Two words stand in the same place if this share of the smaller one is shared. */
const SAME_PLACE_SHARE = 0.5;
/** What a reading that has nothing in a place says against what others have there. */
const NOTHING_THERE = 0.3;
/** A reading that found less than this share of what the best one found has nothing to say. */
const MIN_SCORE_SHARE = 0.5;
/** Of equal votes, those of the reading that found most of the page count a little more. */
const BASE_BONUS = 0.05;

/**
 * Puts several readings of one page together, place by place: of what they have in a place, what most of them are sure of stands; what
 * only one has, and is not sure of, is left out. Lines are those of the reading that found most; what others have beside them is
 * added where it stands. The idea is ROVER's (J. G. Fiscus, 1997), with places on the page instead of an alignment of words.
 */
export const mergeReadings = (readings: readonly OcrReading[]): OcrReading => {
  const [base, ...others] = readings.filter(({ words }) => words.length > 0).toSorted((a, b) => scoreOf(b) - scoreOf(a));
  if (base === undefined || others.length === 0) return base ?? toReading([]);
  const most = scoreOf(base);
  const all = [base, ...others.filter((other) => scoreOf(other) >= MIN_SCORE_SHARE * most)];
  const weights = all.map((reading, at) => scoreOf(reading) / most + (at === 0 ? BASE_BONUS : 0));
  const places = findPlaces(all);
  const lines: Line[] = base.lines.map(({ paragraph, words }) => ({ paragraph, words: [], box: aroundAll(words) }));
  const lineOf = new Map(base.lines.flatMap(({ words }, at) => words.map((word) => [word, at] as const)));
  for (const place of places) {
    const chosen = choose(place, weights);
    if (chosen === undefined) continue;
    const anchor = place[0]?.[0];
    const at = anchor === undefined ? undefined : lineOf.get(anchor);
    const line = at === undefined ? findLine(lines, aroundAll(chosen)) : lines[at];
    line?.words.push(...chosen);
  }
  return toReading(
    lines
      .filter(({ words }) => words.length > 0)
      .map(({ paragraph, words }) => ({ paragraph, words: words.toSorted((a, b) => a.box.x - b.box.x) })),
  );
};

interface Line {
  readonly paragraph: string;
  readonly words: PageWord[];
  readonly box: Box;
}

/** What each reading has in one place of the page, in the order of the readings. */
type Place = readonly (readonly PageWord[])[];

const findPlaces = (readings: readonly OcrReading[]): Place[] => {
  const words = readings.flatMap((reading, number) => reading.words.map((word) => ({ word, number, root: -1 })));
  const parents = words.map((_, at) => at);
  const rootOf = (at: number): number => {
    let root = at;
    while (parents[root] !== root) root = parents[root] ?? root;
    parents[at] = root;
    return root;
  };
  // Only what begins before another ends can share a place with it: walked from left to right.
  const order = words.map((_, at) => at).sort((a, b) => (words[a]?.word.box.x ?? 0) - (words[b]?.word.box.x ?? 0));
  let active: number[] = [];
  for (const at of order) {
    const current = words[at];
    if (current === undefined) continue;
    active = active.filter((other) => endOf(words[other]?.word.box) > current.word.box.x);
    for (const other of active) {
      const neighbour = words[other];
      if (neighbour === undefined || neighbour.number === current.number) continue;
      if (sharedShare(neighbour.word.box, current.word.box) >= SAME_PLACE_SHARE) parents[rootOf(at)] = rootOf(other);
    }
    active.push(at);
  }
  const places = new Map<number, PageWord[][]>();
  for (const [at, { word, number }] of words.entries()) {
    const root = rootOf(at);
    const place = places.get(root) ?? readings.map(() => []);
    place[number]?.push(word);
    places.set(root, place);
  }
  return [...places.values()].map((place) => place.map((found) => found.toSorted((one, other) => one.box.x - other.box.x)));
};

/** What stands in a place; undefined where more speaks for nothing. `weights` says how much the word of each reading counts. */
const choose = (place: Place, weights: readonly number[]): readonly PageWord[] | undefined => {
  const votes = new Map<string, Vote>();
  let forNothing = 0;
  for (const [number, words] of place.entries()) {
    const weight = weights[number] ?? 0;
    if (words.length === 0) {
      forNothing += NOTHING_THERE * weight;
      continue;
    }
    const own = meanConfidence(words) * weight;
    const text = words.map((word) => word.text).join(' ');
    const before = votes.get(text);
    const isBest = before === undefined || own > before.own;
    votes.set(text, { total: own + (before?.total ?? 0), own: isBest ? own : before.own, words: isBest ? words : before.words });
  }
  const forSomething = [...votes.values()].reduce((sum, { own }) => sum + own, 0);
  const [first] = [...votes.values()].toSorted((a, b) => b.total - a.total);
  return forSomething < forNothing ? undefined : first?.words;
};

interface Vote {
  readonly total: number;
  /** That of the reading that is surest of it. */
  readonly own: number;
  readonly words: readonly PageWord[];
}

const meanConfidence = (words: readonly PageWord[]): number => {
  const chars = words.reduce((sum, { text }) => sum + text.length, 0);
  return words.reduce((sum, { text, confidence }) => sum + confidence * text.length, 0) / Math.max(1, chars);
};

const endOf = (box: Box | undefined): number => (box === undefined ? 0 : box.x + box.width);

const sharedShare = (a: Box, b: Box): number => {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  const smaller = Math.min(a.width * a.height, b.width * b.height);
  return width <= 0 || height <= 0 || smaller <= 0 ? 0 : (width * height) / smaller;
};

const aroundAll = (words: readonly { readonly box: Box }[]): Box => {
  const x = Math.min(...words.map(({ box }) => box.x));
  const y = Math.min(...words.map(({ box }) => box.y));
  return {
    x,
    y,
    width: Math.max(...words.map(({ box }) => box.x + box.width)) - x,
    height: Math.max(...words.map(({ box }) => box.y + box.height)) - y,
  };
};

/** The line that something stands in by its height, or a new one in its place. */
const findLine = (lines: Line[], box: Box): Line => {
  const middle = box.y + box.height / 2;
  const near = lines.find((line) => middle > line.box.y && middle < line.box.y + line.box.height);
  if (near !== undefined) return near;
  const behind = lines.findIndex((line) => line.box.y > middle);
  const line: Line = { paragraph: `added ${box.x} ${box.y}`, words: [], box };
  lines.splice(behind === -1 ? lines.length : behind, 0, line);
  return line;
};
