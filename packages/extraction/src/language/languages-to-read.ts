import { parseOcrLanguage } from '@sheaf/contract/queue';

const FALLBACK = 'eng';

export interface LanguagesToRead {
  /** Codes joined by +: what a document is read with first. */
  readonly first: string;
  /** What its pages may be read with instead, where their text is found to be in it. */
  readonly others: readonly string[];
}

/**
 * What a document is read with whose language is `wanted`, of the `installed` languages; undefined where none of `auto` is installed.
 * `likely` are those that it probably is in, the likeliest first.
 */
export const languagesToRead = (wanted: string, installed: readonly string[], likely: readonly string[]): LanguagesToRead | undefined => {
  const { isAuto, codes } = parseOcrLanguage(wanted);
  if (!isAuto) return { first: wanted, others: [] };
  const allowed = codes.length === 0 ? installed : codes.filter((code) => installed.includes(code));
  const first = [...likely, ...codes, FALLBACK].find((code) => allowed.includes(code)) ?? allowed[0];
  return first === undefined ? undefined : { first, others: allowed.filter((code) => code !== first) };
};
