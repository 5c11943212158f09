import type { Box, PageWord, PageWords } from '@sheaf/vocabulary/page-words';
import type { PageRunner } from '../document-parts.ts';
import { enhanced, type GreyImage, isBlank, readPgm, scaled, turned, writePgm } from '../images/grey-image.ts';
import type { LanguageChoice } from '../language/languages-to-read.ts';
import type { Limit } from '../pdf/poppler.ts';
import { type OcrOutcome, type OcrReading, type OcrTask, scoreOf, type Turn, toReading } from './ocr-runner.ts';

export interface PageImage {
  /** A grey PGM. */
  readonly path: string;
  readonly dpi: number;
  /** What is left of a page without the words of its text layer: mostly pictures, in which noise looks like words. */
  readonly isRemainder?: boolean;
}

export interface PageReading {
  readonly text: string;
  readonly confidence: number;
  /** Undefined where there are none. Sizes are in points (1/72 inch) at the resolution that the image is taken for. */
  readonly words: PageWords | undefined;
}

export type PageOutcome = OcrOutcome<PageReading>;

export interface PageReaderSettings {
  readonly psm: number;
  /** Below this it is looked whether the page lies as it should. */
  readonly confidenceThreshold: number;
}

const NOTHING_TO_READ: PageReading = { text: '', confidence: 1, words: undefined };
const POINTS_PER_INCH = 72;
/** A reading that is surer than this of its words is hardly made better by others, and may be made worse. */
const SURE = 0.88;
/** The same for a page that was scanned finely, where a second reading finds one or two words of a hundred more and takes as long. */
const SURE_OF_FINE = 0.8;
/** The right model reads a page at least nearly as surely as the wrong one. */
const WORTH_KEEPING = 0.9;
/** Enough to tell upside down from upright, at a quarter of the cost. */
const TRIAL_SCALE = 0.5;
/** What a further reading may take, measured by the first: pictures without text can keep the engine busy for long. */
const FURTHER_READING = { times: 4, minMs: 2_000, maxMs: 15_000 };
/** A doubtful page is read a second time as if it had been scanned with this, or somewhat larger than it is. */
const SECOND_DPI = 250;
/** Letters of a page that was scanned this finely (dpi) are large enough: enlarged, it is read no better. */
const FINE_DPI = 290;
const ENLARGEMENT = { least: 1.25, most: 3 };
/** An A4 page at 430 dpi. More costs time and finds no more. */
const MAX_ENLARGED_PIXELS = 18_000_000;

/** Reads one page; a doubtful reading is followed by others (turned, cleaned, enlarged), and what they agree on is kept. */
export const readPage = async (
  runner: PageRunner,
  image: PageImage,
  languages: LanguageChoice,
  settings: PageReaderSettings,
  limit: Limit,
): Promise<PageOutcome> => {
  const page = await readPgm(image.path);
  if (page === undefined) return { ok: false, reason: 'corrupt', message: 'the page image is incomplete' };
  if (isBlank(page)) return { ok: true, value: NOTHING_TO_READ };
  const attempts = new Attempts(runner, image, page, languages, settings, limit);
  const started = performance.now();
  const first = await attempts.read(image.path);
  if (!first.ok) return first;
  attempts.limitFurtherReadings(performance.now() - started);
  if (image.isRemainder === true && !mayHaveWords(first.value)) return { ok: true, value: NOTHING_TO_READ };
  const best = runner.canRunOcrAgain ? await attempts.improveInItsLanguage(first.value) : first.value;
  if (image.isRemainder === true && !hasWords(best)) return { ok: true, value: NOTHING_TO_READ };
  const { text, confidence, words } = image.isRemainder === true ? withoutNoise(best) : best;
  const toPoints = POINTS_PER_INCH / image.dpi;
  return { ok: true, value: { text, confidence, words: { width: page.width * toPoints, height: page.height * toPoints, words } } };
};

class Attempts {
  readonly #runner: PageRunner;
  readonly #page: GreyImage;
  readonly #languages: LanguageChoice;
  #task: Omit<OcrTask, 'timeoutMs'>;
  readonly #deadline: number;
  #readingLimitMs = Number.POSITIVE_INFINITY;
  readonly #threshold: number;

  constructor(
    runner: PageRunner,
    image: PageImage,
    page: GreyImage,
    languages: LanguageChoice,
    settings: PageReaderSettings,
    limit: Limit,
  ) {
    this.#runner = runner;
    this.#languages = languages;
    this.#page = page;
    this.#task = { imagePath: image.path, language: languages.current, dpi: image.dpi, psm: settings.psm, signal: limit.signal };
    this.#threshold = settings.confidenceThreshold;
    this.#deadline = performance.now() + limit.timeoutMs;
  }

  limitFurtherReadings(firstMs: number): void {
    const { times, minMs, maxMs } = FURTHER_READING;
    this.#readingLimitMs = Math.min(Math.max(firstMs * times, minMs), maxMs);
  }

  async read(imagePath: string, dpi = this.#task.dpi): Promise<OcrOutcome<OcrReading>> {
    const timeoutMs = Math.ceil(Math.min(this.#deadline - performance.now(), this.#readingLimitMs));
    return timeoutMs <= 0 ? { ok: false, reason: 'timeout' } : this.#runner.read({ ...this.#task, imagePath, dpi, timeoutMs });
  }

  /** Reads the page in the language that its text is in, and in other ways if what has been read is doubtful. */
  async improveInItsLanguage(first: OcrReading): Promise<OcrReading> {
    const improved = await this.improve(await this.#inItsLanguage(first));
    // A page that could not be read at all, as it lay upside down, tells its language now.
    return improved.text === first.text ? improved : this.#inItsLanguage(improved, () => this.improve(first));
  }

  /** The reading, or that in the language that its text is in, unless it is worse. */
  async #inItsLanguage(
    reading: OcrReading,
    runOcrAgain: () => Promise<OcrReading | undefined> = () => this.#readPlainly(),
  ): Promise<OcrReading> {
    const { language } = this.#task;
    const other = await this.#languages.otherThan(language, reading.text);
    if (other === undefined) return reading;
    this.#task = { ...this.#task, language: other };
    const again = await runOcrAgain();
    if (again !== undefined && scoreOf(again) > scoreOf(reading) * WORTH_KEEPING) {
      this.#languages.confirm(other);
      return again;
    }
    this.#task = { ...this.#task, language };
    return reading;
  }

  async #readPlainly(): Promise<OcrReading | undefined> {
    const outcome = await this.read(this.#task.imagePath);
    return outcome.ok ? outcome.value : undefined;
  }

  /** Puts the page upright if it does not lie as it should, then reads it in other ways, if what has been read is doubtful. */
  async improve(first: OcrReading): Promise<OcrReading> {
    if (first.confidence >= this.#sure) return first;
    const turn = first.confidence < this.#threshold ? await this.#findTurn() : 0;
    if (turn === 0) return mergeReadings([first, ...(await this.#readOtherwise(this.#page))]);
    const upright = await turned(this.#page, turn);
    const second = await this.#readChanged(upright, 'turned');
    if (second !== undefined && second.confidence >= this.#sure) return better(turnedBack(second, turn), first);
    // How a page lies is a guess where little of it can be read: it is looked at both ways.
    const readings = [...(second === undefined ? [] : [second]), ...(await this.#readOtherwise(upright))];
    const asTurned = turnedBack(mergeReadings(readings), turn);
    return asTurned.confidence >= this.#threshold
      ? better(asTurned, first)
      : better(asTurned, mergeReadings([first, ...(await this.#readOtherwise(this.#page))]));
  }

  /** Further readings of a page: cleaned, enlarged, and both. */
  async #readOtherwise(page: GreyImage): Promise<readonly OcrReading[]> {
    const readings = [await this.#readChanged(await enhanced(page), 'changed')];
    const factor = this.#enlargementOf(page);
    if (factor > 1) {
      const dpi = this.#task.dpi * factor;
      const large = await scaled(page, factor);
      readings.push(await this.#readChanged(large, 'changed', dpi), await this.#readChanged(await enhanced(large), 'changed', dpi));
    }
    return readings.filter((reading) => reading !== undefined);
  }

  get #isFine(): boolean {
    return this.#task.dpi >= FINE_DPI;
  }

  get #sure(): number {
    return this.#isFine ? SURE_OF_FINE : SURE;
  }

  #enlargementOf({ width, height }: GreyImage): number {
    if (this.#isFine) return 1;
    const wanted = Math.min(Math.max(SECOND_DPI / this.#task.dpi, ENLARGEMENT.least), ENLARGEMENT.most);
    return Math.min(wanted, Math.sqrt(MAX_ENLARGED_PIXELS / (width * height)));
  }

  async #findTurn(): Promise<Turn> {
    const timeoutMs = Math.max(1, Math.ceil(this.#deadline - performance.now()));
    return (await this.#runner.findTurn({ ...this.#task, timeoutMs })) ?? this.#tryUpsideDown();
  }

  /** Without orientation data. A page on its side needs no trial: the engine finds lines that run up or down by itself. */
  async #tryUpsideDown(): Promise<Turn> {
    const small = await scaled(this.#page, TRIAL_SCALE);
    const dpi = this.#task.dpi * TRIAL_SCALE;
    const upright = await this.#readChanged(small, 'changed', dpi);
    const upsideDown = await this.#readChanged(await turned(small, 180), 'changed', dpi);
    return upright !== undefined && upsideDown !== undefined && scoreOf(upsideDown) > scoreOf(upright) ? 180 : 0;
  }

  async #readChanged(image: GreyImage, name: 'turned' | 'changed', dpi?: number): Promise<OcrReading | undefined> {
    const path = `${this.#task.imagePath}.${name}.pgm`;
    await writePgm(path, image);
    const outcome = await this.read(path, dpi);
    return outcome.ok ? outcome.value : undefined;
  }
}

const better = (one: OcrReading, other: OcrReading): OcrReading => (scoreOf(other) > scoreOf(one) ? other : one);

/** A reading of a page that was turned by `turn` degrees clockwise, with its words where they stand on the page as it lies. */
export const turnedBack = (reading: OcrReading, turn: Turn): OcrReading => {
  const moved = new Map(reading.words.map((word) => [word, { ...word, box: boxBefore(word.box, turn) }]));
  const wordBefore = (word: PageWord): PageWord => moved.get(word) ?? word;
  const lines = reading.lines.map((line) => ({ ...line, words: line.words.map(wordBefore) }));
  return { ...reading, words: reading.words.map(wordBefore), lines };
};

const boxBefore = ({ x, y, width, height }: Box, turn: Turn): Box => {
  switch (turn) {
    case 0:
      return { x, y, width, height };
    case 90:
      return { x: y, y: 1 - x - width, width: height, height: width };
    case 180:
      return { x: 1 - x - width, y: 1 - y - height, width, height };
    case 270:
      return { x: 1 - y - height, y: x, width: height, height: width };
  }
};

/** What the engine sees in a picture without text: short words that it is hardly sure of. */
const SURE_WORD = 0.7;
const MIN_SURE_WORDS = 2;
const POSSIBLE_WORD = 0.3;
const MIN_POSSIBLE_WORDS = 3;
const MIN_LINE_CONFIDENCE = 0.5;
const WORD = /[\p{L}\p{N}]{2}/u;

/** Whether a better reading may find text where a first one found this. */
const mayHaveWords = (reading: OcrReading): boolean =>
  hasWords(reading) ||
  reading.words.filter(({ text, confidence }) => confidence >= POSSIBLE_WORD && WORD.test(text)).length >= MIN_POSSIBLE_WORDS;

/** Whether there is text in what was read, and not only what looks like letters. */
export const hasWords = ({ words }: OcrReading): boolean =>
  words.filter(({ text, confidence }) => confidence >= SURE_WORD && WORD.test(text)).length >= MIN_SURE_WORDS;

/** The lines that are text: with a word in them, and read with some certainty. */
export const withoutNoise = ({ lines }: OcrReading): OcrReading =>
  toReading(
    lines.filter(({ words }) => {
      const sum = words.reduce((total, { confidence }) => total + confidence, 0);
      return words.some(({ text }) => WORD.test(text)) && sum / words.length >= MIN_LINE_CONFIDENCE;
    }),
  );

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
