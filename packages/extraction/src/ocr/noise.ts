import { type OcrReading, toReading } from './ocr-runner.ts';

/** What the engine sees in a picture without text: short words that it is hardly sure of. */
const SURE_WORD = 0.7;
const MIN_SURE_WORDS = 2;
const POSSIBLE_WORD = 0.3;
const MIN_POSSIBLE_WORDS = 3;
const MIN_LINE_CONFIDENCE = 0.5;
const WORD = /[\p{L}\p{N}]{2}/u;

/** Whether a better reading may find text where a first one found this. */
export const mayHaveWords = (reading: OcrReading): boolean =>
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
