import { parseOcrLanguage } from '@sheaf/contract/queue';

/** Which language the pages of one document are read in, where that is to be found out: the last one that was found is the likeliest. */
export class LanguageChoice {
  readonly #others: ReadonlySet<string>;
  readonly #detect: (text: string) => Promise<string | undefined>;
  #current: string;

  /** `others` are those that a page may be read in instead; none where the language is given. */
  constructor(first: string, others: readonly string[], detect: (text: string) => Promise<string | undefined>) {
    this.#current = first;
    this.#others = new Set(others.length === 0 ? [] : [first, ...others]);
    this.#detect = detect;
  }

  /** Codes of tesseract joined by +. */
  get current(): string {
    return this.#current;
  }

  /** The language of a text that was read with `language`, if it is another one that can be read. */
  async otherThan(language: string, text: string): Promise<string | undefined> {
    if (this.#others.size === 0) return undefined;
    const found = await this.#detect(text);
    return found !== undefined && found !== language && this.#others.has(found) ? found : undefined;
  }

  /** The next pages are begun with this one. */
  confirm(language: string): void {
    this.#current = language;
  }
}

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
