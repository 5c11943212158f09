import type { PageWord } from '@sheaf/vocabulary/page-words';

export interface OcrReading {
  readonly text: string;
  /** Mean over the words, by their length; 0 where none was found. */
  readonly confidence: number;
  readonly words: readonly PageWord[];
  readonly lines: readonly OcrLine[];
}

export interface OcrTask {
  /** A grey PGM, upright as far as we know. */
  readonly imagePath: string;
  /** Codes joined by +, all of them among the runner's languages. */
  readonly language: string;
  readonly dpi: number;
  readonly psm: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Why an engine gave no reading though nothing is wrong with the way it runs: the page's own fault, an account or settings that
 * are refused, which no second try changes, or a service that cannot be had right now.
 */
export interface EngineFailure {
  readonly ok: false;
  readonly reason: 'corrupt' | 'ocr_refused' | 'ocr_unavailable';
  /** For the operator: names the variable to look at. Never a key. */
  readonly message: string;
}

export type OcrOutcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: 'timeout' | 'reader_died' }
  | EngineFailure;

/** Degrees clockwise that bring a page upright. */
export type Turn = 0 | 90 | 180 | 270;

/** A way to run the recognition engine. All answer alike; `tests/integration/extraction/ocr-runner.test.ts` is their contract. */
export interface OcrRunner {
  readonly name: 'native' | 'wasm' | 'cloud';
  /** Whether reading a doubtful page in other ways costs nothing but time on this machine. */
  readonly canRunOcrAgain: boolean;
  readonly languages: ReadonlySet<string>;
  /** Throws the signal's reason when aborted. */
  read(task: OcrTask): Promise<OcrOutcome<OcrReading>>;
  /** How the page lies, or undefined where that cannot be told: no data for it, or too little on the page. */
  findTurn(task: OcrTask): Promise<Turn | undefined>;
  close(): Promise<void>;
}

/** A line of words with the paragraph it belongs to; a change of paragraph becomes an empty line. */
export interface OcrLine {
  readonly paragraph: string;
  readonly words: readonly PageWord[];
}

export const toReading = (lines: readonly OcrLine[]): OcrReading => {
  let text = '';
  let paragraph: string | undefined;
  for (const line of lines) {
    if (text !== '') text += line.paragraph === paragraph ? '\n' : '\n\n';
    text += line.words.map((word) => word.text).join(' ');
    paragraph = line.paragraph;
  }
  const words = lines.flatMap((line) => line.words);
  return { text, confidence: meanConfidence(words), words, lines };
};

const meanConfidence = (words: readonly PageWord[]): number => {
  const chars = words.reduce((sum, word) => sum + word.text.length, 0);
  return chars === 0 ? 0 : words.reduce((sum, word) => sum + word.confidence * word.text.length, 0) / chars;
};

/** How much of a page a reading seems to have got right: of two readings of one page the one with more is the better. */
export const scoreOf = (reading: OcrReading): number =>
  reading.words.reduce((sum, { text, confidence }) => sum + text.length * confidence ** 2, 0);

export const isTurn = (degrees: number): degrees is Turn => degrees === 0 || degrees === 90 || degrees === 180 || degrees === 270;
