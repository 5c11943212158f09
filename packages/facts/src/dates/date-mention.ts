/** In which order the numbers of a date stand. */
export type DateOrder = 'day_first' | 'month_first' | 'year_first';

export interface DateReading {
  /** YYYY-MM-DD */
  readonly iso: string;
  readonly order: DateOrder;
}

export type DateForm = 'numeric' | 'words' | 'month' | 'compact';

/** A date in a line, with all that it can mean. */
export interface DateMention {
  /** Offsets in the line. */
  readonly start: number;
  readonly end: number;
  readonly form: DateForm;
  /** Two of them with one order never; at least one. */
  readonly readings: readonly DateReading[];
}

export interface ScanContext {
  readonly now: Date;
  /** Whether eight digits are a date without a word that says so, as in the name of a file. */
  readonly isCompactSure?: boolean | undefined;
  /** ISO 639-1; names of months are taken from any language, but in doubt from these. */
  readonly languages: readonly string[];
}

/** What a reader of one form gives: where the date ends, counted in atoms, and its parts in each order. */
export interface RawDate {
  readonly next: number;
  readonly form: DateForm;
  readonly parts: readonly { readonly order: DateOrder; readonly year: string; readonly month: number; readonly day: number }[];
}
