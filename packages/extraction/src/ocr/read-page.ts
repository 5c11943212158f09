import type { PageRunner } from '../document-parts.ts';
import { enhanced, type GreyImage, isBlank, readPgm, scaled, turned, writePgm } from '../images/grey-image.ts';
import type { Limit } from '../pdf/poppler.ts';
import { type OcrOutcome, type OcrReading, type OcrTask, scoreOf, type Turn } from './ocr-runner.ts';

export interface PageImage {
  /** A grey PGM. */
  readonly path: string;
  readonly dpi: number;
}

export interface PageReading {
  readonly text: string;
  readonly confidence: number;
}

export type PageOutcome = OcrOutcome<PageReading>;

export interface PageReaderSettings {
  readonly psm: number;
  /** A reading below this is not trusted: the page is read again in other ways. */
  readonly confidenceThreshold: number;
}

const NOTHING_TO_READ: PageReading = { text: '', confidence: 1 };
/** Enough to tell upside down from upright, at a quarter of the cost. */
const TRIAL_SCALE = 0.5;
/** What a further reading may take, measured by the first: pictures without text can keep the engine busy for long. */
const FURTHER_READING = { times: 3, minMs: 1_500, maxMs: 8_000 };

/** Reads one page; a doubtful reading is followed by others (turned, enhanced), and the one that finds most is kept. */
export const readPage = async (
  runner: PageRunner,
  image: PageImage,
  language: string,
  settings: PageReaderSettings,
  limit: Limit,
): Promise<PageOutcome> => {
  const page = await readPgm(image.path);
  if (page === undefined) return { ok: false, reason: 'corrupt', message: 'the page image is incomplete' };
  if (isBlank(page)) return { ok: true, value: NOTHING_TO_READ };
  const attempts = new Attempts(runner, image, page, language, settings, limit);
  const started = performance.now();
  const first = await attempts.read(image.path);
  if (!first.ok) return first;
  attempts.limitFurtherReadings(performance.now() - started);
  const best = runner.canReadAgain ? await attempts.improve(first.value) : first.value;
  return { ok: true, value: { text: best.text, confidence: best.confidence } };
};

class Attempts {
  readonly #runner: PageRunner;
  readonly #page: GreyImage;
  readonly #task: Omit<OcrTask, 'timeoutMs'>;
  readonly #deadline: number;
  #readingLimitMs = Number.POSITIVE_INFINITY;
  readonly #threshold: number;

  constructor(runner: PageRunner, image: PageImage, page: GreyImage, language: string, settings: PageReaderSettings, limit: Limit) {
    this.#runner = runner;
    this.#page = page;
    this.#task = { imagePath: image.path, language, dpi: image.dpi, psm: settings.psm, signal: limit.signal };
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

  /** Turns the page if it does not lie as it should, then cleans it, as long as what has been read is doubtful. */
  async improve(first: OcrReading): Promise<OcrReading> {
    let best = first;
    const isDoubtful = (): boolean => best.confidence < this.#threshold;
    if (!isDoubtful()) return best;
    const turn = await this.#findTurn();
    const upright = turn === 0 ? this.#page : await turned(this.#page, turn);
    if (turn !== 0) best = better(best, await this.#readChanged(upright, 'turned'));
    // How a page lies is a guess where little of it can be read: cleaned, it is looked at both ways.
    for (const page of new Set([this.#page, upright])) {
      if (isDoubtful()) best = better(best, await this.#readChanged(await enhanced(page), 'enhanced'));
    }
    return best;
  }

  async #findTurn(): Promise<Turn> {
    const timeoutMs = Math.max(1, Math.ceil(this.#deadline - performance.now()));
    return (await this.#runner.findTurn({ ...this.#task, timeoutMs })) ?? this.#tryUpsideDown();
  }

  /** Without orientation data. A page on its side needs no trial: the engine finds lines that run up or down by itself. */
  async #tryUpsideDown(): Promise<Turn> {
    const small = await scaled(this.#page, TRIAL_SCALE);
    const dpi = this.#task.dpi * TRIAL_SCALE;
    const upright = await this.#readChanged(small, 'trial', dpi);
    const upsideDown = await this.#readChanged(await turned(small, 180), 'trial', dpi);
    return upright !== undefined && upsideDown !== undefined && scoreOf(upsideDown) > scoreOf(upright) ? 180 : 0;
  }

  async #readChanged(image: GreyImage, name: string, dpi?: number): Promise<OcrReading | undefined> {
    const path = `${this.#task.imagePath}.${name}.pgm`;
    await writePgm(path, image);
    const outcome = await this.read(path, dpi);
    return outcome.ok ? outcome.value : undefined;
  }
}

const better = (one: OcrReading, other: OcrReading | undefined): OcrReading =>
  other !== undefined && scoreOf(other) > scoreOf(one) ? other : one;
