import { NAME_CHARACTERS, shortened } from './records.ts';

/**
 * Names that Paperless-ngx takes: each once, and no longer than a column of it. Names of Sheaf are unique for who made them, or not at
 * all, so the second of a name gets a number.
 */
export class UniqueNames {
  readonly #taken = new Set<string>();

  add(name: string): string {
    for (let number = 1; ; number += 1) {
      const mark = number === 1 ? '' : ` (${number})`;
      const unique = `${shortened(name, NAME_CHARACTERS - mark.length)}${mark}`;
      if (this.#taken.has(unique.toLowerCase())) continue;
      this.#taken.add(unique.toLowerCase());
      return unique;
    }
  }
}
