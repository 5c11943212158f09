/** What a part of a path may be. */
export const PATTERN_FIELDS = [
  'title',
  'correspondent',
  'document_type',
  'label',
  'labels',
  'date',
  'year',
  'month',
  'day',
  'archive_number',
  'any',
] as const;
type PatternField = (typeof PATTERN_FIELDS)[number];

/** Folders become labels, one below the other, and the name of the file the title. */
export const DEFAULT_PATTERN = '{labels}/{title}';

const MAX_PATTERN_CHARACTERS = 500;
const MAX_PARTS = 50;

type Piece = { readonly literal: string } | { readonly field: PatternField };
/** What one folder or the name of the file is made of. */
type Segment = readonly Piece[];

/** What a path says of its document. */
export interface PathFacts {
  readonly title?: string | undefined;
  readonly correspondent?: string | undefined;
  readonly documentType?: string | undefined;
  readonly labels: readonly (readonly string[])[];
  readonly documentDate?: string | undefined;
  readonly archiveNumber?: number | undefined;
}

/** A pattern cannot be used; the message says why, in one sentence. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

const isField = (name: string): name is PatternField => (PATTERN_FIELDS as readonly string[]).includes(name);

const parseSegment = (text: string): Segment => {
  const pieces: Piece[] = [];
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf('{', at);
    if (open !== at) pieces.push({ literal: text.slice(at, open === -1 ? undefined : open) });
    if (open === -1) break;
    const close = text.indexOf('}', open);
    if (close === -1) throw new PatternError(`A brace is not closed in "${text}".`);
    const name = text.slice(open + 1, close);
    if (!isField(name)) throw new PatternError(`There is no {${name}}; use ${PATTERN_FIELDS.map((known) => `{${known}}`).join(', ')}.`);
    if (pieces.at(-1) !== undefined && 'field' in (pieces.at(-1) ?? {}))
      throw new PatternError(`Two parts follow one another in "${text}" with nothing between them.`);
    pieces.push({ field: name });
    at = close + 1;
  }
  if (pieces.length === 0) throw new PatternError('A part of the pattern is empty.');
  if (pieces.length > 1 && pieces.some((piece) => 'field' in piece && piece.field === 'labels'))
    throw new PatternError('{labels} stands for whole folders: nothing may stand beside it.');
  return pieces;
};

/** Where a piece of text ends that `field` may have; undefined where it has none there. */
const FIXED: Partial<Record<PatternField, RegExp>> = {
  year: /^\d{4}/,
  month: /^\d\d?/,
  day: /^\d\d?/,
  date: /^(?:\d{4}([-_. ])\d\d\1\d\d|\d\d([-_. ])\d\d\2\d{4}|\d{8})/,
  archive_number: /^\d{1,10}/,
};

type Found = readonly { readonly field: PatternField; readonly text: string }[];

/** Reads a segment from left to right: each part ends where the text behind it first appears. Time grows with the length alone. */
const matchSegment = (segment: Segment, text: string): Found | undefined => {
  const found: { field: PatternField; text: string }[] = [];
  let rest = text;
  for (const [index, piece] of segment.entries()) {
    if ('literal' in piece) {
      if (!rest.startsWith(piece.literal)) return undefined;
      rest = rest.slice(piece.literal.length);
      continue;
    }
    const fixed = FIXED[piece.field];
    const next = segment[index + 1];
    const end = fixed === undefined ? endBefore(rest, next) : (fixed.exec(rest)?.[0].length ?? -1);
    if (end < 1) return undefined;
    found.push({ field: piece.field, text: rest.slice(0, end) });
    rest = rest.slice(end);
  }
  return rest === '' ? found : undefined;
};

const endBefore = (rest: string, next: Piece | undefined): number =>
  next === undefined || !('literal' in next) ? rest.length : rest.indexOf(next.literal, 1);

const toFacts = (found: Found): PathFacts => {
  const one = (field: PatternField): string | undefined => found.find((part) => part.field === field)?.text.trim();
  const [year, month = '1', day = '1'] = [one('year'), one('month'), one('day')];
  const date = one('date');
  const number = one('archive_number');
  const folders = found.filter(({ field }) => field === 'labels').map(({ text }) => text);
  const labels = found.filter(({ field }) => field === 'label').map(({ text }) => [text]);
  // a year alone says nothing of the day
  const isWhole = year !== undefined && one('month') !== undefined && one('day') !== undefined;
  return {
    title: one('title'),
    correspondent: one('correspondent'),
    documentType: one('document_type'),
    labels: folders.length === 0 ? labels : [folders, ...labels],
    documentDate: date === undefined ? (isWhole ? toDay(Number(year), Number(month), Number(day)) : undefined) : dateInName(date),
    archiveNumber: number === undefined ? undefined : Number(number),
  };
};

/** What folders and names of files say of documents, by a pattern such as `{correspondent}/{year}/{date} {title}`. */
export class PathPattern {
  readonly #segments: readonly Segment[];
  /** Where {labels} stands, which takes as many folders as the other parts leave. */
  readonly #open: number;

  /** Throws PatternError. */
  constructor(pattern: string) {
    if (pattern.length > MAX_PATTERN_CHARACTERS) throw new PatternError(`A pattern has at most ${MAX_PATTERN_CHARACTERS} characters.`);
    this.#segments = pattern.split('/').map(parseSegment);
    if (this.#segments.length > MAX_PARTS) throw new PatternError(`A pattern has at most ${MAX_PARTS} parts.`);
    const open = this.#segments.flatMap((segment, index) => (isOpen(segment) ? [index] : []));
    if (open.length > 1) throw new PatternError('{labels} may stand in a pattern once.');
    if (open[0] === this.#segments.length - 1) throw new PatternError('{labels} stands for folders: behind it comes the name of the file.');
    this.#open = open[0] ?? -1;
  }

  /** What a path says, whose last part is the name of the file without its extension; undefined where the pattern does not fit it. */
  match(parts: readonly string[]): PathFacts | undefined {
    const more = parts.length - this.#segments.length;
    if (this.#open === -1 ? more !== 0 : more < -1) return undefined;
    const found: { field: PatternField; text: string }[] = [];
    let at = 0;
    for (const [index, segment] of this.#segments.entries()) {
      if (index === this.#open) {
        const folders = parts.slice(at, at + more + 1);
        found.push(...folders.map((text) => ({ field: 'labels' as const, text })));
        at += folders.length;
        continue;
      }
      const matched = matchSegment(segment, parts[at] ?? '');
      if (matched === undefined) return undefined;
      found.push(...matched);
      at += 1;
    }
    return toFacts(found);
  }
}

const isOpen = (segment: Segment): boolean => segment.some((piece) => 'field' in piece && piece.field === 'labels');

/** Years that a document in an archive has; what is outside of them is a number of another kind. */
const FIRST_YEAR = 1900;
const YEARS_AHEAD = 1;

/** A day as YYYY-MM-DD; undefined where there is none of that name. */
const toDay = (year: number, month: number, day: number, now = new Date()): string | undefined => {
  if (year < FIRST_YEAR || year > now.getUTCFullYear() + YEARS_AHEAD) return undefined;
  const date = new Date(Date.UTC(year, month - 1, day));
  const isThere = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isThere ? date.toISOString().slice(0, 10) : undefined;
};

/** Of one length each, so that a long name costs no more than reading it. The year first, or the day first as on the continent. */
const FORMS = [
  { form: /(?<!\d)(?<year>\d{4})([-_. ])(?<month>\d\d)\2(?<day>\d\d)(?!\d)/g },
  { form: /(?<!\d)(?<day>\d\d)([-_. ])(?<month>\d\d)\2(?<year>\d{4})(?!\d)/g },
  { form: /(?<!\d)(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)(?!\d)/g },
] as const;

/**
 * The first day that a file name states, such as 2023-04-05, 2023_04_05, 20230405 or 05.04.2023; undefined where there is none. A name
 * like 04-05-2023 is read as the fourth of the month before the fifth only where the other way is no day.
 */
export const dateInName = (name: string, now = new Date()): string | undefined => {
  for (const { form } of FORMS)
    for (const { groups } of name.matchAll(form)) {
      const [year, month, day] = [groups?.['year'], groups?.['month'], groups?.['day']].map(Number);
      if (year === undefined || month === undefined || day === undefined) continue;
      const found = toDay(year, month, day, now) ?? toDay(year, day, month, now);
      if (found !== undefined) return found;
    }
  return undefined;
};
