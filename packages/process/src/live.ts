/** A value that may change while the process runs: settings, and parts of them. */
export interface Live<T> {
  /** The value of the moment. What belongs together in one piece of work is read once, at its beginning. */
  current(): T;
  /** Calls `listener` with the value after each change. The answer ends that; ending it twice does no harm. */
  subscribe(listener: (value: T) => void): () => void;
}

/** Those who subscribe are parts of a program, made once. More of them than this means that somebody forgets to end it. */
const MAX_LISTENERS = 100;

/** A live value that is changed from outside: the settings of a process, or of a test. */
export class LiveValue<T> implements Live<T> {
  readonly #listeners = new Map<symbol, (value: T) => void>();
  #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  current(): T {
    return this.#value;
  }

  subscribe(listener: (value: T) => void): () => void {
    if (this.#listeners.size >= MAX_LISTENERS) throw new Error(`more than ${MAX_LISTENERS} listeners of a live value: unsubscribe them`);
    const key = Symbol();
    this.#listeners.set(key, listener);
    return () => void this.#listeners.delete(key);
  }

  /** Every listener is called, whatever another one throws; the first error is thrown then. */
  set(value: T): void {
    this.#value = value;
    const errors: unknown[] = [];
    for (const listener of this.#listeners.values()) {
      try {
        listener(value);
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}

/** A value that never changes, for tests and for programs that read their settings once. */
export const constant = <T>(value: T): Live<T> => ({ current: () => value, subscribe: () => () => {} });

/**
 * What `pick` makes of a live value: a part of it, or something made from it. It is picked once for each value of `source`, stays
 * the same object while it is equal, and only a change of it reaches those who subscribe.
 */
export const select = <T, U>(source: Live<T>, pick: (value: T) => U): Live<U> => {
  let known: { readonly from: T; readonly part: U } | undefined;
  const current = (): U => {
    const from = source.current();
    if (known !== undefined && Object.is(known.from, from)) return known.part;
    const part = pick(from);
    known = { from, part: known !== undefined && isEqual(known.part, part) ? known.part : part };
    return known.part;
  };
  return {
    current,
    subscribe: (listener) => {
      let last = current();
      return source.subscribe(() => {
        const part = current();
        if (Object.is(part, last)) return;
        last = part;
        listener(part);
      });
    },
  };
};

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Whether both have equal contents. What is neither plain object, array nor set is equal to itself alone: a secret shows nothing. */
const isEqual = (a: unknown, b: unknown): boolean => {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, index) => isEqual(item, b[index]));
  if (a instanceof Set && b instanceof Set) return a.size === b.size && [...a].every((item) => b.has(item));
  if (!isPlain(a) || !isPlain(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]));
};
