/** From this time on a statement has a name: many are sent once. */
const REPEATED = 3;
/** Texts that are counted; lists of parameters of many lengths make new ones all the time. */
const MAX_COUNTED = 500;
/** The server keeps the plan of each until the connection ends, some 50 kB. */
const MAX_NAMED = 100;

/** The server takes several commands at once only without a name. */
const SEVERAL = /;\s*\S/;

interface Statement {
  readonly text: string;
  readonly name?: unknown;
}

const isUnnamed = (config: unknown): config is Statement =>
  typeof config === 'object' &&
  config !== null &&
  typeof (config as Statement).text === 'string' &&
  (config as Statement).name === undefined;

/**
 * Gives a name to each statement that one connection sends again and again, so that the server parses and plans it once: a document is
 * processed with some sixty statements, most of which take longer to plan than to run.
 */
export class RepeatedStatements {
  readonly #counts = new Map<string, number>();
  readonly #names = new Map<string, string>();

  /** What to send instead of `config`, which is what pg takes. */
  named(config: unknown): unknown {
    if (!isUnnamed(config)) return config;
    const name = this.#names.get(config.text) ?? this.#nameOf(config.text);
    return name === undefined ? config : { ...config, name };
  }

  #nameOf(text: string): string | undefined {
    if (SEVERAL.test(text)) return undefined;
    const count = (this.#counts.get(text) ?? 0) + 1;
    if (this.#counts.size >= MAX_COUNTED) this.#counts.clear();
    this.#counts.set(text, count);
    if (count < REPEATED || this.#names.size >= MAX_NAMED) return undefined;
    const name = `repeated_${this.#names.size}`;
    this.#counts.delete(text);
    this.#names.set(text, name);
    return name;
  }
}

/** Whether the server keeps a plan whose columns a migration has changed: a new connection has none. */
export const hasStalePlan = (error: unknown): boolean =>
  (error as { readonly routine?: unknown } | undefined)?.routine === 'RevalidateCachedQuery';
