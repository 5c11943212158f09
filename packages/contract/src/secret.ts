/** Where console.log and its like look. Not imported: browsers know the types of this package too. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** A value that must not be printed. Logs, errors and JSON show `***`; `reveal` is the only way to the text. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return '***';
  }

  toJSON(): string {
    return '***';
  }

  [INSPECT](): string {
    return '***';
  }
}
