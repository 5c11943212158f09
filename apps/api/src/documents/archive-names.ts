import { plainName, withinBytes } from '@sheaf/storage/folders';

/** Of a name in an archive: what file systems bear, less a number. */
const MAX_NAME_BYTES = 240;

interface NameParts {
  readonly stem: string;
  /** With its dot. */
  readonly extension: string;
}

const partsOf = (filename: string): NameParts => {
  const plain = plainName(filename, '_');
  const [extension = ''] = /\.[^.\s]{1,16}$/.exec(plain) ?? [];
  const stem = plain
    .slice(0, plain.length - extension.length)
    .replace(/^[\s.]+/, '')
    .trimEnd();
  return { stem: withinBytes(stem, MAX_NAME_BYTES - Buffer.byteLength(extension)) || 'document', extension };
};

/** Names of files in one archive: each is a plain name that no other one has, whatever the files are called. */
export class ArchiveNames {
  readonly #taken = new Set<string>();
  /** How often a name was wanted, so that the thousandth "scan.pdf" is not looked for from the beginning. */
  readonly #wanted = new Map<string, number>();

  /** `filename` made harmless, and told from those before it by a number. Systems that ignore case can unpack it. */
  add(filename: string): string {
    const { stem, extension } = partsOf(filename);
    const wanted = `${stem}${extension}`.toLowerCase();
    for (let number = (this.#wanted.get(wanted) ?? 0) + 1; ; number += 1) {
      const name = number === 1 ? `${stem}${extension}` : `${stem} (${number})${extension}`;
      if (this.#taken.has(name.toLowerCase())) continue;
      this.#wanted.set(wanted, number);
      this.#taken.add(name.toLowerCase());
      return name;
    }
  }
}
