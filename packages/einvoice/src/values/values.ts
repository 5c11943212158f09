import type { Account, Attachment, Day, PaymentMeans } from '../invoice.ts';
import { attributeOf, type XmlNode } from '../xml/xml-tree-reader.ts';

/** Longer names do not fit into a file system. */
const MAX_NAME_CHARS = 200;
const FIRST_PRINTABLE = 0x20;
const DELETE = '\u007f';

/** Decodes embedded documents (BT-125) until they are more than the limit together. */
export class AttachmentReader {
  #bytesLeft: number;

  constructor(maxBytes: number) {
    this.#bytesLeft = maxBytes;
  }

  read(about: Pick<Attachment, 'reference' | 'description' | 'uri'>, embedded: XmlNode | undefined): Attachment {
    if (embedded === undefined) return { ...about, name: undefined, mimeType: undefined, size: 0, bytes: undefined };
    const expected = decodedSize(embedded.text);
    const bytes = expected <= this.#bytesLeft ? Buffer.from(embedded.text, 'base64') : undefined;
    this.#bytesLeft -= bytes?.length ?? 0;
    return {
      ...about,
      name: baseName(attributeOf(embedded, 'filename')),
      mimeType: attributeOf(embedded, 'mimeCode'),
      size: bytes?.length ?? expected,
      bytes,
    };
  }
}

/** Without decoding it: white space and padding are no part. */
const decodedSize = (base64: string): number => {
  let digits = 0;
  for (let i = 0; i < base64.length; i += 1) {
    const code = base64.charCodeAt(i);
    if (code > FIRST_PRINTABLE && code !== 0x3d) digits += 1;
  }
  return Math.floor((digits * 3) / 4);
};

/** A name from outside never chooses a folder. */
const baseName = (name: string | undefined): string | undefined => {
  const last = name?.split('/').at(-1)?.split('\\').at(-1) ?? '';
  const printable = Array.from(last.slice(0, MAX_NAME_CHARS)).filter((char) => char >= ' ' && char !== DELETE);
  return printable.length === 0 || last === '.' || last === '..' ? undefined : printable.join('');
};

/** A part of the specification identifier (BT-24) in lower case, and what it is called. The first that fits counts. */
const PROFILES: readonly (readonly [part: string, name: string])[] = [
  ['xrechnung', 'XRECHNUNG'],
  ['peppol.eu:2017:poacc', 'PEPPOL-BIS-3'],
  ['peppol:pint', 'PEPPOL-PINT'],
  ['minimum', 'MINIMUM'],
  ['basicwl', 'BASIC WL'],
  ['basic', 'BASIC'],
  ['comfort', 'COMFORT'],
  ['extended', 'EXTENDED'],
  ['urn:cen.eu:en16931:2017', 'EN16931'],
];

/** The name of the profile that an identifier belongs to; undefined where it is not known. */
export const profileOf = (id: string | undefined): string | undefined => {
  const lower = id?.toLowerCase() ?? '';
  return PROFILES.find(([part]) => lower.includes(part))?.[1];
};

const DAY_CHARS = 10;
const ISO_DAY = /^\d{4}-\d\d-\d\d$/;
const PLAIN_DAY = /^\d{8}/;

/** The day of an xs:date or xs:dateTime (its zone is left away: the day counts where it was written); undefined where there is none. */
export const isoDay = (text: string | undefined): Day | undefined => {
  const day = text?.slice(0, DAY_CHARS);
  return day !== undefined && ISO_DAY.test(day) && isInCalendar(day) ? day : undefined;
};

/** The day of a date of CII: `20260314` (UNTDID 2379 format 102, and 203 and 204, which add the time) or an ISO date. */
export const ciiDay = (text: string | undefined): Day | undefined => {
  if (text === undefined || !PLAIN_DAY.test(text)) return isoDay(text);
  return isoDay(`${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6, 8)}`);
};

const isInCalendar = (day: string): boolean => {
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
};

/** ISO 13616: country, two check digits, 11 to 30 letters and digits. */
const IBAN = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/;
const MAX_CHARS = 64;

/** An account of BG-17 whose identifier is put into the form of an IBAN where it is one. */
export const makeAccount = (id: string | undefined, name: string | undefined, bic: string | undefined, isIbanElement = true): Account => {
  const iban = id === undefined ? undefined : toIban(id);
  return { id: iban ?? id, isIban: iban !== undefined && isIbanElement, name, bic };
};

/** The account to pay to: what stands where an IBAN belongs comes before what only looks like one. */
export const chooseIban = (means: readonly PaymentMeans[]): string | undefined => {
  const accounts = means.flatMap((one) => one.accounts);
  const chosen = accounts.find(({ isIban }) => isIban) ?? accounts.find(({ id }) => id !== undefined && toIban(id) !== undefined);
  return chosen?.id;
};

/** Without spaces and in capitals; undefined where it has not the form of an IBAN. */
export const toIban = (text: string): string | undefined => {
  if (text.length > MAX_CHARS) return undefined;
  const iban = text.replace(/\s/g, '').toUpperCase();
  return IBAN.test(iban) ? iban : undefined;
};

/** `units` / 10^`scale`, exactly. */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

export const ZERO: Decimal = { units: 0n, scale: 0 };
/** More are no amount of money; arithmetic with very long numbers takes more than linear time. */
const MAX_DIGITS = 40;
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;

/** A text as xs:decimal; undefined where it is none or longer than 40 digits. */
export const parseDecimal = (text: string | undefined): Decimal | undefined => {
  if (text === undefined || text.length > MAX_DIGITS || !DECIMAL.test(text)) return undefined;
  const [whole = '', fraction = ''] = text.replace('+', '').split('.', 2);
  return { units: BigInt(`${whole}${fraction}` === '-' ? 0 : `${whole}${fraction}`), scale: fraction.length };
};

const at = ({ units, scale }: Decimal, wanted: number): bigint => units * 10n ** BigInt(wanted - scale);

export const add = (a: Decimal, b: Decimal): Decimal => {
  const scale = Math.max(a.scale, b.scale);
  return { units: at(a, scale) + at(b, scale), scale };
};

export const negate = ({ units, scale }: Decimal): Decimal => ({ units: -units, scale });

export const subtract = (a: Decimal, b: Decimal): Decimal => add(a, negate(b));

export const multiply = (a: Decimal, b: Decimal): Decimal => ({ units: a.units * b.units, scale: a.scale + b.scale });

export const sum = (values: Iterable<Decimal>): Decimal => {
  let total = ZERO;
  for (const value of values) total = add(total, value);
  return total;
};

/** Negative, zero or positive as `a` is less than, equal to or more than `b`. */
export const compare = (a: Decimal, b: Decimal): number => {
  const { units } = subtract(a, b);
  if (units === 0n) return 0;
  return units < 0n ? -1 : 1;
};

export const isEqual = (a: Decimal, b: Decimal): boolean => compare(a, b) === 0;

/** To two decimals; a half goes away from zero. */
export const roundToCents = ({ units, scale }: Decimal): Decimal => {
  if (scale <= 2) return { units, scale };
  const divisor = 10n ** BigInt(scale - 2);
  const size = units < 0n ? -units : units;
  const rounded = (size + divisor / 2n) / divisor;
  return { units: units < 0n ? -rounded : rounded, scale: 2 };
};

/** `part` percent of `base`, not rounded. */
export const percentOf = (base: Decimal, part: Decimal): Decimal => {
  const { units, scale } = multiply(base, part);
  return { units, scale: scale + 2 };
};
