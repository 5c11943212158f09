import type { Config } from '@sheaf/config';

type Listener = (config: Config) => void;

/** The configuration of a process as it is now: what the database holds may change it at any time. */
export interface Settings {
  /** The configuration of the moment, for work that is to be done with one set of values from its beginning to its end. */
  current(): Config;
  /** Calls `listener` with the new configuration after each change. */
  onChange(listener: Listener): void;
  /**
   * What `select` makes of the configuration, with each field, and each field of an object in it, at its value of the moment in
   * which it is read. For parts that are made once and read their settings as they go: whoever takes such an object apart, or
   * copies it, has the values of that moment.
   */
  view<T extends object>(select: (config: Config) => T): T;
}

/** Settings that can be changed from outside: those of a process, or in tests. */
export class LiveSettings implements Settings {
  readonly #listeners = new Set<Listener>();
  #config: Config;

  constructor(config: Config) {
    this.#config = config;
  }

  current(): Config {
    return this.#config;
  }

  onChange(listener: Listener): void {
    this.#listeners.add(listener);
  }

  view<T extends object>(select: (config: Config) => T): T {
    let seen = { config: this.#config, value: select(this.#config) };
    return viewOf(() => {
      if (seen.config !== this.#config) seen = { config: this.#config, value: select(this.#config) };
      return seen.value;
    });
  }

  /** Every listener is called, whatever another one throws; the first error is thrown then. */
  change(config: Config): void {
    this.#config = config;
    const errors: unknown[] = [];
    for (const listener of this.#listeners) {
      try {
        listener(config);
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}

/** Not arrays, sets, secrets and the like: these are values, and another one takes their place. */
const isSection = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** An object with the fields that `read` answers, which are the same at each call. */
const viewOf = <T extends object>(read: () => T): T => {
  const view = {} as T;
  for (const name of Object.keys(read()) as (keyof T)[]) {
    let section: unknown;
    Object.defineProperty(view, name, {
      enumerable: true,
      get: () => {
        const value: unknown = read()[name];
        if (!isSection(value)) return value;
        section ??= viewOf(() => read()[name] as object);
        return section;
      },
    });
  }
  return view;
};
