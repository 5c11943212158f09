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
