import { MAX_ARCHIVE_NUMBER } from '@sheaf/vocabulary/limits';
import type { BarcodeRules } from './barcode-rules.ts';

/** The texts of the codes on a page. */
export interface CodedPage {
  /** From 1. */
  readonly page: number;
  readonly texts: readonly string[];
}

/** What the codes of one page say. */
export interface PageMeaning {
  readonly isSeparator: boolean;
  /** The first one on it. */
  readonly archiveNumber: number | undefined;
  /** Texts that begin like an archive number and are none, or one that is too large. */
  readonly invalidNumbers: readonly string[];
  /** Names from the topmost label down. */
  readonly labels: readonly (readonly string[])[];
}

/** A page has so many labels at most; the rest is not looked at. */
const MAX_LABELS = 20;

export const meaningOf = ({ texts }: CodedPage, rules: BarcodeRules): PageMeaning => {
  const numbers: number[] = [];
  const invalidNumbers: string[] = [];
  const labels: (readonly string[])[] = [];
  let isSeparator = false;
  for (const text of texts) {
    if (rules.separator !== '' && text === rules.separator) isSeparator = true;
    else if (rules.asnPrefix !== '' && text.startsWith(rules.asnPrefix)) {
      const number = toArchiveNumber(text.slice(rules.asnPrefix.length));
      if (number === undefined) invalidNumbers.push(text);
      else numbers.push(number);
    } else if (rules.labelPrefix !== '' && text.startsWith(rules.labelPrefix)) {
      const path = toLabelPath(text.slice(rules.labelPrefix.length));
      if (path.length > 0 && labels.length < MAX_LABELS) labels.push(path);
    }
  }
  return { isSeparator, archiveNumber: numbers[0], invalidNumbers, labels };
};

/** Signs that label printers put between the prefix and the digits count for nothing. */
const toArchiveNumber = (text: string): number | undefined => {
  const digits = /^[\s:#._-]*(\d+)\s*$/.exec(text)?.[1];
  const number = Number(digits ?? 0);
  return number >= 1 && number <= MAX_ARCHIVE_NUMBER ? number : undefined;
};

const toLabelPath = (text: string): readonly string[] =>
  text
    .normalize('NFC')
    .split('/')
    .map((name) => name.trim())
    .filter((name) => name !== '');
