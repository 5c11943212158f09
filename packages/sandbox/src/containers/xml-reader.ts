import { SaxesParser } from 'saxes';

export interface XmlHandler {
  /** `attributes` by their names as written, prefix included. */
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  close?(name: string): void;
  /** Character data; references to characters and to the five entities of XML are resolved, others stay as they are written. */
  text?(text: string): void;
}

export interface XmlLimits {
  readonly maxDepth: number;
  readonly maxChars: number;
}

/** `broken`: not well-formed beyond repair; what was handed over before is good. */
export type XmlEnd = 'whole' | 'too_deep' | 'too_large' | 'broken';

/** Office programs read past a slip or two; each costs an Error. */
const MAX_ERRORS = 100;

/**
 * Reads XML as it comes, in time and memory that grow with its length alone. There is no document type and no entity of the
 * document's own, so there is nothing to expand and nothing to fetch.
 */
export class XmlReader {
  readonly #parser = new SaxesParser({ xmlns: false, position: false });
  readonly #limits: XmlLimits;
  #decoder: TextDecoder | undefined;
  #depth = 0;
  #chars = 0;
  #errors = 0;
  #stopped: XmlEnd | undefined;

  constructor(handler: XmlHandler, limits: XmlLimits) {
    this.#limits = limits;
    this.#parser.on('error', () => this.#countError());
    this.#parser.on('opentag', ({ name, attributes }) => {
      this.#depth += 1;
      if (this.#depth > limits.maxDepth) this.#stopped ??= 'too_deep';
      if (this.#stopped === undefined) handler.open?.(name, attributes);
    });
    this.#parser.on('closetag', ({ name }) => {
      this.#depth -= 1;
      if (this.#stopped === undefined) handler.close?.(name);
    });
    const onText = (text: string): void => {
      if (this.#stopped === undefined) handler.text?.(text);
    };
    this.#parser.on('text', onText);
    this.#parser.on('cdata', onText);
  }

  /** False when nothing more is wanted. */
  write(piece: Buffer): boolean {
    this.#decoder ??= new TextDecoder(encodingOf(piece));
    this.#feed(this.#decoder.decode(piece, { stream: true }));
    return this.#stopped === undefined;
  }

  end(): XmlEnd {
    if (this.#stopped === undefined) this.#parser.close();
    return this.#stopped ?? 'whole';
  }

  #feed(text: string): void {
    this.#chars += text.length;
    if (this.#chars > this.#limits.maxChars) this.#stopped ??= 'too_large';
    if (this.#stopped === undefined) this.#parser.write(text);
  }

  #countError(): void {
    this.#errors += 1;
    if (this.#errors > MAX_ERRORS) this.#stopped ??= 'broken';
  }
}

const encodingOf = ([first, second]: Buffer): string => {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
};
