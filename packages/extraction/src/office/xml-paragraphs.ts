import type { XmlHandler } from '@sheaf/sandbox/containers';

/** What the text of an XML vocabulary is made of. */
export interface TextVocabulary {
  /** Elements that are a paragraph, or a cell. They may stand inside one another (a note in a paragraph). */
  readonly paragraphs: ReadonlySet<string>;
  /** Elements whose character data is text; undefined where all of it is. */
  readonly runs: ReadonlySet<string> | undefined;
  /** Elements that stand for white space. */
  readonly spaces: ReadonlySet<string>;
  /** Elements whose content is not the document's text. */
  readonly ignored: ReadonlySet<string>;
}

/** Gathers the paragraphs of an XML document, in order, as it is read. */
export class ParagraphReader implements XmlHandler {
  readonly paragraphs: string[] = [];
  readonly #vocabulary: TextVocabulary;
  readonly #open: string[] = [];
  #runs = 0;
  #ignored = 0;

  constructor(vocabulary: TextVocabulary) {
    this.#vocabulary = vocabulary;
  }

  open(name: string): void {
    const { paragraphs, runs, spaces, ignored } = this.#vocabulary;
    if (paragraphs.has(name)) this.#open.push('');
    if (runs?.has(name) === true) this.#runs += 1;
    if (ignored.has(name)) this.#ignored += 1;
    if (spaces.has(name)) this.#add(' ');
  }

  close(name: string): void {
    const { paragraphs, runs, ignored } = this.#vocabulary;
    if (runs?.has(name) === true) this.#runs -= 1;
    if (ignored.has(name)) this.#ignored -= 1;
    if (!paragraphs.has(name)) return;
    const paragraph = this.#open.pop()?.trim() ?? '';
    if (paragraph !== '') this.paragraphs.push(paragraph);
  }

  text(text: string): void {
    if (this.#vocabulary.runs === undefined || this.#runs > 0) this.#add(text);
  }

  #add(text: string): void {
    if (this.#ignored > 0 || this.#open.length === 0) return;
    this.#open.push((this.#open.pop() ?? '') + text);
  }
}
