import { stripEnd } from '@sheaf/contract';
import { type Fact, findFacts } from '@sheaf/facts';
import type { EinvoiceDifference, EinvoiceFacts } from '@sheaf/vocabulary/einvoices';
import type { FactKind } from '@sheaf/vocabulary/facts';

/** What is compared without its case, its accents and the width of its spaces. */
const plain = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll(/\s+/g, ' ');

const compact = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]/gu, '');

const isWordCharacter = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{N}]/u.test(character);
const isDigit = (character: string | undefined): boolean => character !== undefined && character >= '0' && character <= '9';
const isSeparator = (character: string | undefined): boolean => character !== undefined && ".,'’".includes(character);

/** No honest page has so many places that only look like a value. */
const MAX_PLACES = 1_000;

/** The text of pages, made ready for looking values up. */
export class PageWording {
  readonly #plain: string;
  #compact: string | undefined;

  constructor(text: string) {
    this.#plain = plain(text);
  }

  get isEmpty(): boolean {
    return this.#plain.trim() === '';
  }

  /** Whether it stands there as words of its own. */
  names(value: string): boolean {
    return this.#finds(plain(value).trim(), (before, after) => !isWordCharacter(before[1]) && !isWordCharacter(after[0]));
  }

  /** Whether the number stands there as it is written here, and not as a part of another. */
  namesDigits(digits: string): boolean {
    return this.#finds(digits, ([second, first], [next, last]) => {
      const goesOn = isDigit(first) || (isSeparator(first) && isDigit(second));
      return !goesOn && !isDigit(next) && !(isSeparator(next) && isDigit(last));
    });
  }

  /** Whether its letters and digits stand there, whatever stands between them. */
  namesCompact(value: string): boolean {
    this.#compact ??= compact(this.#plain);
    const wanted = compact(plain(value));
    return wanted !== '' && this.#compact.includes(wanted);
  }

  /** `fits` is given the two characters before and behind each place. */
  #finds(wanted: string, fits: (before: readonly (string | undefined)[], after: readonly (string | undefined)[]) => boolean): boolean {
    if (wanted === '') return false;
    const text = this.#plain;
    for (let at = text.indexOf(wanted), places = 0; at >= 0 && places < MAX_PLACES; at = text.indexOf(wanted, at + 1), places += 1) {
      const end = at + wanted.length;
      if (fits([text[at - 2], text[at - 1]], [text[end], text[end + 1]])) return true;
    }
    return false;
  }
}

const GROUPS = ['', ',', '.', ' ', "'", '’'];
const POINTS = [',', '.'];
const AMOUNT = /^[+-]?(\d{1,20})(?:\.(\d{1,20}))?$/;

/** The integer part with a separator between thousands. */
const grouped = (digits: string, separator: string): string => {
  const parts: string[] = [];
  for (let end = digits.length; end > 0; end -= 3) parts.unshift(digits.slice(Math.max(0, end - 3), end));
  return parts.join(separator);
};

/** Whether an amount in the decimal form of XML stands there: 1.234,56, 1,234.56, 1 234.56, 1234.56; whole ones also without cents. */
export const namesAmount = (wording: PageWording, value: string): boolean => {
  const [, whole = '', fraction = ''] = AMOUNT.exec(value.trim()) ?? [];
  if (whole === '') return wording.names(value);
  const digits = whole.replace(/^0+(?=\d)/, '');
  const cents = stripEnd(fraction, '0').padEnd(2, '0');
  const wholes = [...new Set(GROUPS.map((separator) => grouped(digits, separator)))];
  const forms = wholes.flatMap((form) => POINTS.map((point) => `${form}${point}${cents}`));
  const isRound = cents === '00';
  return [...forms, ...(isRound ? wholes : [])].some((form) => wording.namesDigits(form));
};

/** Shorter ones, put together without spaces, stand in many a text by chance. */
const MIN_COMPACT_CHARS = 6;

export const namesNumber = (wording: PageWording, value: string): boolean =>
  wording.names(value) || (compact(value).length >= MIN_COMPACT_CHARS && wording.namesCompact(value));

export const namesName = (wording: PageWording, value: string): boolean => wording.names(value) || wording.namesCompact(value);

export const namesIban = (wording: PageWording, value: string): boolean => wording.namesCompact(value);

/** The pages of a document as far as they were looked at. */
export interface ComparedPages {
  readonly pages: readonly { readonly page: number; readonly content: string }[];
  /** False where there is more text: what is not found may stand there. */
  readonly isWhole: boolean;
  readonly now: Date;
}

interface Comparison {
  readonly field: string;
  /** What the page is shown to state is of the first kind. */
  readonly kinds: readonly [FactKind, ...FactKind[]];
  /** One of them has to be stated; the first is shown. */
  readonly values: (invoice: EinvoiceFacts) => readonly (string | null)[];
  readonly isStated: (wording: PageWording, value: string) => boolean;
  /** Whether a fact of the page says the same. */
  readonly isSame: (xml: string, page: string) => boolean;
}

const ZERO_AMOUNT = /^[+-]?(?:0+(?:\.0*)?|\.0+)$/;

const isSameAmount = (xml: string, page: string): boolean => Math.abs(Math.abs(Number(xml)) - Math.abs(Number(page))) < 0.005;

const amount = (field: 'grand_total' | 'payable'): Comparison => ({
  field,
  kinds: ['total'],
  // nothing to pay is seldom written
  values: (invoice) => [ZERO_AMOUNT.test(invoice[field] ?? '') ? null : invoice[field]],
  isStated: namesAmount,
  isSame: isSameAmount,
});

const isSameName = (xml: string, page: string): boolean => namesName(new PageWording(page), xml) || namesName(new PageWording(xml), page);

const COMPARISONS: readonly Comparison[] = [
  {
    field: 'number',
    kinds: ['invoice_number'],
    values: ({ number }) => [number],
    isStated: namesNumber,
    isSame: (xml, page) => namesNumber(new PageWording(page), xml),
  },
  {
    field: 'issue_date',
    kinds: ['document_date', 'due_date', 'service_date'],
    values: ({ issue_date: day }) => [day],
    isStated: (wording, day) => wording.names(day),
    isSame: (xml, page) => xml === page,
  },
  amount('grand_total'),
  amount('payable'),
  {
    field: 'seller.name',
    kinds: ['sender'],
    values: ({ seller }) => [seller.name, seller.trading_name],
    isStated: namesName,
    isSame: isSameName,
  },
  {
    field: 'seller.iban',
    kinds: ['iban'],
    values: ({ seller }) => [seller.iban],
    isStated: namesIban,
    isSame: (xml, page) => namesIban(new PageWording(page), xml),
  },
];

/**
 * Where the pages of a PDF do not state what its e-invoice does, with what they state instead where that was found. None where the pages
 * have no text. Amounts, dates and numbers count in whatever form they are written.
 */
export const findDifferences = (invoice: EinvoiceFacts, { pages, isWhole, now }: ComparedPages): readonly EinvoiceDifference[] => {
  const wording = new PageWording(pages.map(({ content }) => content).join('\n'));
  if (wording.isEmpty) return [];
  const { candidates } = findFacts({ pages: pages.map(({ page, content }) => ({ number: page, text: content })), languages: [] }, { now });
  return COMPARISONS.flatMap((comparison) => compare(comparison, invoice, wording, candidates, isWhole));
};

const compare = (
  { field, kinds, values, isStated, isSame }: Comparison,
  invoice: EinvoiceFacts,
  wording: PageWording,
  candidates: readonly Fact[],
  isWhole: boolean,
): EinvoiceDifference[] => {
  const wanted = values(invoice).filter((value) => value !== null && value !== '') as string[];
  const [shown] = wanted;
  if (shown === undefined || wanted.some((value) => isStated(wording, value))) return [];
  if (candidates.some((fact) => kinds.includes(fact.kind) && wanted.some((value) => isSame(value, fact.value)))) return [];
  const page = candidates.find(({ kind }) => kind === kinds[0])?.value ?? null;
  return page === null && !isWhole ? [] : [{ field, xml: shown, page }];
};
