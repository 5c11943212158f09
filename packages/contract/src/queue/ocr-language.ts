import { z } from 'zod';
import { rule, textLike } from '../issue.ts';

/** Found out for each page, from all installed languages or, with `auto:deu,fra`, from some. */
export const AUTO_LANGUAGE = 'auto';
const CODE = '[A-Za-z_]{3,20}';
const PARTS = /[+,]/;

export interface OcrLanguageChoice {
  readonly isAuto: boolean;
  /** Codes of tesseract: those that a page is read with together, or of `auto` those that it may be; none: all that are installed. */
  readonly codes: readonly string[];
}

/** What a setting or a document says of its OCR language. */
export const parseOcrLanguage = (text: string): OcrLanguageChoice => {
  const [first = '', list] = text.split(':');
  if (first !== AUTO_LANGUAGE) return { isAuto: false, codes: text.split('+') };
  return { isAuto: true, codes: list === undefined ? [] : list.split(',') };
};

const hasEachOnce = (text: string): boolean => {
  const codes = parseOcrLanguage(text).codes.flatMap((code) => code.split(PARTS));
  return new Set(codes).size === codes.length;
};

const hasAutoAlone = (text: string): boolean => !parseOcrLanguage(text).codes.includes(AUTO_LANGUAGE);

/** Language codes of tesseract, joined by +, each once; `auto`; or `auto:` and codes joined by commas. */
export const ocrLanguage = textLike(
  new RegExp(`^(?:auto(?::${CODE}(?:,${CODE}){0,9})?|${CODE}(?:\\+${CODE}){0,9})$`),
  'not_language',
  z.string().refine(hasEachOnce, rule('language_twice')).refine(hasAutoAlone, rule('not_language')),
);
