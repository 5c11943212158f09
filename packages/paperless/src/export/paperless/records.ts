/** A record as Django's serializer writes it, and as `loaddata` reads it. */
export interface ManifestRecord {
  readonly model: string;
  readonly pk: number;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly __exported_file_name__?: string;
  /** What Paperless-ngx has no place for, and does not look at. */
  readonly __sheaf__?: Readonly<Record<string, unknown>>;
}

/** Which exports are written: those of 2 have MD5 checksums and allow a file once, those of 3 have SHA-256. */
export type PaperlessFormat = 2 | 3;

/** The versions that exports say they are from. */
export const FORMAT_VERSIONS: Readonly<Record<PaperlessFormat, string>> = { 2: '2.20.15', 3: '3.0.5' };

/** A time as Django writes it. PostgreSQL knows times that JavaScript does not: those become the first one. */
export const toTime = (date: Date): string => (Number.isFinite(date.getTime()) ? date : new Date(0)).toISOString();

/** Characters that a column of Paperless-ngx takes. */
export const NAME_CHARACTERS = 128;

export const shortened = (text: string, characters: number): string =>
  text.length <= characters ? text : Array.from(text).slice(0, characters).join('');

/** `__sheaf__` with what is not undefined; nothing where all is. */
export const sheafExtra = (extra: Readonly<Record<string, unknown>>): Pick<ManifestRecord, '__sheaf__'> => {
  const known = Object.entries(extra).filter(([, value]) => value !== undefined);
  return known.length === 0 ? {} : { __sheaf__: Object.fromEntries(known) };
};

/** Numbers for rows, from `first` on, in the order in which they are added. */
export class RowNumbers {
  readonly #numbers = new Map<string, number>();
  #next: number;

  constructor(first = 1) {
    this.#next = first;
  }

  add(id: string): number {
    const number = this.#next;
    this.#next += 1;
    this.#numbers.set(id, number);
    return number;
  }

  of(id: string | null): number | null {
    return id === null ? null : (this.#numbers.get(id) ?? null);
  }
}
