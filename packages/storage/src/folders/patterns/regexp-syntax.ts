/** The part of a regular expression that says yes or no to a text without looking back at what was matched. */
export type Term =
  /** One UTF-16 unit: a character, an escape, a class or the dot, as it is written. */
  | { readonly kind: 'unit'; readonly source: string }
  | { readonly kind: 'start' }
  | { readonly kind: 'end' }
  | { readonly kind: 'look'; readonly body: Term; readonly isNegative: boolean }
  | { readonly kind: 'sequence'; readonly terms: readonly Term[] }
  | { readonly kind: 'either'; readonly options: readonly Term[] }
  | { readonly kind: 'repeat'; readonly term: Term; readonly min: number; readonly max: number };

class Unsupported extends Error {
  override readonly name = 'Unsupported';
}

const COUNT = /\{(\d{1,6})(,(\d{1,6})?)?\}/y;
const ESCAPE = /\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[^0-9bBck])/y;
const CLASS = /\[(?:[^\]\\]|\\[^])*\]/y;
const COUNTS: Readonly<Record<string, readonly [number, number]>> = {
  '*': [0, Number.POSITIVE_INFINITY],
  '+': [1, Number.POSITIVE_INFINITY],
  '?': [0, 1],
};

/**
 * The source of a valid regular expression without the flags u, v and m, of a whole text from ^ to $, as a tree. Undefined for any
 * other, and for what no automaton can follow or no glob needs: back references, looking behind, names of groups, word boundaries.
 */
export const parseRegExp = (source: string): Term | undefined => {
  try {
    const term = new Reader(source).read();
    return isWhole(term) ? term : undefined;
  } catch (error) {
    if (error instanceof Unsupported) return undefined;
    throw error;
  }
};

const isWhole = (term: Term): boolean => {
  const [first, ...others] = term.kind === 'either' ? term.options : [];
  return first?.kind === 'sequence' && others.length === 0 && first.terms[0]?.kind === 'start' && first.terms.at(-1)?.kind === 'end';
};

class Reader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  read(): Term {
    const term = this.#either();
    if (this.#at < this.#source.length) throw new Unsupported();
    return term;
  }

  #either(): Term {
    const options = [this.#sequence()];
    while (this.#take('|')) options.push(this.#sequence());
    return { kind: 'either', options };
  }

  #sequence(): Term {
    const terms: Term[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#next)) terms.push(this.#counted(this.#atom()));
    return { kind: 'sequence', terms };
  }

  /** Whether it takes as much or as little as it can is the same for whether the whole matches. */
  #counted(term: Term): Term {
    const counts = this.#count();
    if (counts === undefined) return term;
    this.#take('?');
    return { kind: 'repeat', term, min: counts[0], max: counts[1] };
  }

  #count(): readonly [number, number] | undefined {
    const counts = COUNTS[this.#next];
    if (counts !== undefined) {
      this.#at += 1;
      return counts;
    }
    const found = this.#match(COUNT);
    if (found === undefined) return undefined;
    const [, min = '', more, max] = found;
    if (more === undefined) return [Number(min), Number(min)];
    return [Number(min), max === undefined ? Number.POSITIVE_INFINITY : Number(max)];
  }

  #atom(): Term {
    if (this.#take('^')) return { kind: 'start' };
    if (this.#take('$')) return { kind: 'end' };
    if (this.#take('(')) return this.#group();
    if (this.#next === '[') return this.#unit(CLASS);
    if (this.#next === '\\') return this.#unit(ESCAPE);
    const source = this.#next;
    this.#at += 1;
    return { kind: 'unit', source: '{}]'.includes(source) ? `\\${source}` : source };
  }

  #group(): Term {
    const isNegative = this.#take('?!');
    const isLook = isNegative || this.#take('?=');
    if (!isLook && !this.#take('?:') && this.#next === '?') throw new Unsupported();
    const body = this.#either();
    if (!this.#take(')')) throw new Unsupported();
    return isLook ? { kind: 'look', body, isNegative } : body;
  }

  #unit(form: RegExp): Term {
    const [source] = this.#match(form) ?? [];
    if (source === undefined) throw new Unsupported();
    return { kind: 'unit', source };
  }

  get #next(): string {
    return this.#source.charAt(this.#at);
  }

  #take(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #match(form: RegExp): RegExpExecArray | undefined {
    form.lastIndex = this.#at;
    const found = form.exec(this.#source) ?? undefined;
    if (found !== undefined) this.#at = form.lastIndex;
    return found;
  }
}
