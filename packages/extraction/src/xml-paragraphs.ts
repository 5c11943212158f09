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

const TOKEN = /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<[^>]*>|[^<]+/g;
const TAG_NAME = /^<\/?([^\s/>]+)/;
const NAMED = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

/**
 * The paragraphs of an XML document, in order. Reads tags and text only: no document type, no entity of the document's own,
 * so there is nothing to expand and nothing to fetch. Undefined when elements are nested deeper than `maxDepth`.
 */
export const readParagraphs = (xml: string, vocabulary: TextVocabulary, maxDepth: number): readonly string[] | undefined => {
  const reader = new ParagraphReader(vocabulary);
  let depth = 0;
  for (const [token] of xml.matchAll(TOKEN)) {
    if (!token.startsWith('<')) reader.text(token);
    else if (!token.startsWith('<!') && !token.startsWith('<?')) {
      const name = TAG_NAME.exec(token)?.[1] ?? '';
      if (token.startsWith('</')) {
        depth -= 1;
        reader.close(name);
      } else if (token.endsWith('/>')) reader.empty(name);
      else {
        depth += 1;
        if (depth > maxDepth) return undefined;
        reader.open(name);
      }
    }
  }
  return reader.paragraphs;
};

class ParagraphReader {
  readonly paragraphs: string[] = [];
  readonly #vocabulary: TextVocabulary;
  readonly #open: string[] = [];
  #runs = 0;
  #ignored = 0;

  constructor(vocabulary: TextVocabulary) {
    this.#vocabulary = vocabulary;
  }

  open(name: string): void {
    const { paragraphs, runs, ignored } = this.#vocabulary;
    if (paragraphs.has(name)) this.#open.push('');
    if (runs?.has(name) === true) this.#runs += 1;
    if (ignored.has(name)) this.#ignored += 1;
  }

  close(name: string): void {
    const { paragraphs, runs, ignored } = this.#vocabulary;
    if (runs?.has(name) === true) this.#runs -= 1;
    if (ignored.has(name)) this.#ignored -= 1;
    if (!paragraphs.has(name)) return;
    const paragraph = this.#open.pop()?.trim() ?? '';
    if (paragraph !== '') this.paragraphs.push(paragraph);
  }

  empty(name: string): void {
    if (this.#vocabulary.spaces.has(name)) this.#add(' ');
  }

  text(token: string): void {
    if (this.#vocabulary.runs === undefined || this.#runs > 0) this.#add(decode(token));
  }

  #add(text: string): void {
    if (this.#ignored > 0 || this.#open.length === 0) return;
    this.#open.push((this.#open.pop() ?? '') + text);
  }
}

const decode = (text: string): string =>
  text.includes('&') ? text.replaceAll(/&(#x[0-9a-f]{1,6}|#\d{1,7}|\w{2,4});/gi, (whole, name: string) => decodeOne(name) ?? whole) : text;

const decodeOne = (name: string): string | undefined => {
  if (!name.startsWith('#')) return NAMED.get(name);
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
};
