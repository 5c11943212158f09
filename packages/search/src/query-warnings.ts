import type { SearchWarning } from '@sheaf/contract/search';

export type QueryWarning = SearchWarning;

const MAX_WARNINGS = 10;
const MAX_PART_CHARACTERS = 100;

const MESSAGES = {
  unknown_field: (part) => `No field of that name can be searched. The words of "${part}" were searched.`,
  invalid_value: (part) => `"${part}" is not a value that this field has. Its words were searched.`,
  unknown_custom_field: (part) => `No custom field called "${part}" can be searched.`,
  only_exclusions: () => 'The query only excludes documents. Add a word that they must have.',
  no_words: (part) => `"${part}" has no letters or digits to search for.`,
  too_many_words: (part) => `The query has too many words. "${part}" and what follows were not searched.`,
} as const satisfies Record<QueryWarning['code'], (part: string) => string>;

/** Warnings about one query, each once. */
export class WarningList {
  readonly #warnings = new Map<string, QueryWarning>();

  add(code: QueryWarning['code'], about: string): void {
    const part = Array.from(about.trim()).slice(0, MAX_PART_CHARACTERS).join('');
    const key = `${code} ${part}`;
    if (this.#warnings.size < MAX_WARNINGS && !this.#warnings.has(key))
      this.#warnings.set(key, { code, message: MESSAGES[code](part), part });
  }

  get all(): readonly QueryWarning[] {
    return [...this.#warnings.values()];
  }
}
