import type { PageWords } from '@sheaf/vocabulary/page-words';
import type { PageRunner } from '../document-parts.ts';
import { enhanced, type GreyImage, isBlank, readPgm, scaled, turned, writePgm } from '../images/grey-image.ts';
import type { LanguageChoice } from '../language/language-choice.ts';
import type { Limit } from '../pdf/poppler.ts';
import { mergeReadings } from './merge-readings.ts';
import { hasWords, mayHaveWords, withoutNoise } from './noise.ts';
import { type OcrOutcome, type OcrReading, type OcrTask, scoreOf, type Turn } from './ocr-runner.ts';
import { turnedBack } from './turned-back.ts';

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
  const best = runner.canReadAgain ? await attempts.improveInItsLanguage(first.value) : first.value;
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
    readAgain: () => Promise<OcrReading | undefined> = () => this.#readPlainly(),
  ): Promise<OcrReading> {
    const { language } = this.#task;
    const other = await this.#languages.otherThan(language, reading.text);
    if (other === undefined) return reading;
    this.#task = { ...this.#task, language: other };
    const again = await readAgain();
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
