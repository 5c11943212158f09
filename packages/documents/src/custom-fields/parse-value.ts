import { type Issue, makeIssue } from '@sheaf/contract';
import type { FieldValue } from '@sheaf/contract/documents';
import type { FieldValueRow } from '@sheaf/db/schema';
import { FIELD_AMOUNT_LIMITS, FIELD_NUMBER_LIMITS, FIELD_TEXT_LIMITS, type FieldType } from '@sheaf/vocabulary/custom-fields';

/** What a value becomes in the database. */
export type ValueColumns = Omit<FieldValueRow, 'documentId' | 'fieldId'>;

/** Of a field that is on a document without a value. */
export const NO_VALUE: ValueColumns = {
  textValue: null,
  numberValue: null,
  currency: null,
  dateValue: null,
  booleanValue: null,
  documentValue: null,
};

/** A field as far as its values depend on it. */
export interface FieldKind {
  readonly type: FieldType;
  readonly choices: readonly string[];
}

/** The columns of a value; or what is wrong with it, without its path. */
type Parsed = ValueColumns | ((path: string) => Issue);

const wrong =
  (...[code, details]: [code: Parameters<typeof makeIssue>[1], details?: Issue['details']]): ((path: string) => Issue) =>
  (path) =>
    makeIssue(path, code, details);

const characters = (text: string): number => Array.from(text).length;

const parseText = (given: FieldValue, maximum: number): Parsed => {
  if (typeof given !== 'string') return wrong('wrong_type', { expected: 'string' });
  const text = given.normalize('NFC').trim();
  if (text === '') return wrong('required');
  return characters(text) > maximum ? wrong('too_long', { maximum }) : { ...NO_VALUE, textValue: text };
};

/** Browsers open nothing else from a link, and neither spaces nor control characters hide in what is shown. */
const isWebAddress = (text: string): boolean => /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) && URL.canParse(text);

const parseUrl = (given: FieldValue): Parsed => {
  const parsed = parseText(given, FIELD_TEXT_LIMITS.url);
  return typeof parsed === 'function' || isWebAddress(parsed.textValue ?? '') ? parsed : wrong('not_address');
};

/** Without the zeros that say nothing. */
const trimZeros = (decimal: string): string => (decimal.includes('.') ? decimal.replace(/0{1,20}$/, '').replace(/\.$/, '') : decimal);

/** A number as PostgreSQL reads it; undefined where it has more digits than can be kept. */
const toDecimal = (number: number): string | undefined => {
  const { digits, decimals } = FIELD_NUMBER_LIMITS;
  if (Math.abs(number) >= 10 ** digits) return undefined;
  const text = trimZeros(number.toFixed(decimals));
  const significant = text.replaceAll(/[-.]/g, '').replace(/^0{1,20}/, '').length;
  return Number(text) === number && significant <= digits ? text : undefined;
};

const parseNumber = (given: FieldValue): Parsed => {
  if (typeof given !== 'number') return wrong('wrong_type', { expected: 'number' });
  const numberValue = toDecimal(given);
  return numberValue === undefined ? wrong('too_many_digits', FIELD_NUMBER_LIMITS) : { ...NO_VALUE, numberValue };
};

const parseInteger = (given: FieldValue): Parsed =>
  typeof given === 'number' && !Number.isInteger(given) ? wrong('wrong_type', { expected: 'integer' }) : parseNumber(given);

const DECIMAL = /^-?\d{1,15}(?:\.\d{1,15})?$/;
const CURRENCY = /^[A-Z]{3}$/;

/** With as many decimals as the currency has, or more where there are more. */
const withDecimals = (decimal: string, currency: string): string => {
  const { minimumFractionDigits: wanted = 2 } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions();
  const [whole = '0', fraction = ''] = decimal.split('.');
  const kept = trimZeros(`0.${fraction}`).slice(2).padEnd(wanted, '0');
  const sign = whole.startsWith('-') && /[1-9]/.test(decimal) ? '-' : '';
  const digits = whole.replace('-', '').replace(/^0{1,30}(?=\d)/, '');
  return kept === '' ? `${sign}${digits}` : `${sign}${digits}.${kept}`;
};

const partsOfAmount = (given: FieldValue): { amount: string; currency: string } | undefined => {
  if (typeof given === 'object') return given;
  if (typeof given !== 'string') return undefined;
  const [amount = '', currency = '', ...more] = given
    .trim()
    .split(' ')
    .filter((part) => part !== '');
  return more.length === 0 ? { amount, currency } : undefined;
};

const parseAmount = (given: FieldValue): Parsed => {
  const parts = partsOfAmount(given);
  const currency = parts?.currency.toUpperCase() ?? '';
  if (parts === undefined || !DECIMAL.test(parts.amount) || !CURRENCY.test(currency)) return wrong('not_amount');
  const numberValue = withDecimals(parts.amount, currency);
  const [whole = '', fraction = ''] = numberValue.replace('-', '').split('.');
  const { digits, decimals } = FIELD_AMOUNT_LIMITS;
  if (whole.length + fraction.length > digits || fraction.length > decimals) return wrong('too_many_digits', FIELD_AMOUNT_LIMITS);
  return { ...NO_VALUE, numberValue, currency };
};

/** A day of the years that papers bear. */
const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && text >= '1000-01-01' && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;

const parseDate = (given: FieldValue): Parsed =>
  typeof given === 'string' && isDay(given) ? { ...NO_VALUE, dateValue: given } : wrong('not_date');

const parseChoice = (given: FieldValue, choices: readonly string[]): Parsed =>
  typeof given === 'string' && choices.includes(given) ? { ...NO_VALUE, textValue: given } : wrong('not_one_of', { values: choices });

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const parseDocument = (given: FieldValue): Parsed => {
  const id = typeof given === 'string' ? given.toLowerCase() : '';
  return UUID.test(id) ? { ...NO_VALUE, documentValue: id } : wrong('not_id');
};

/** Reads a value as the type of its field has it. Whether a document is there and may be linked is left to who asks. */
export const parseValue = ({ type, choices }: FieldKind, given: FieldValue): Parsed => {
  switch (type) {
    case 'text':
    case 'long_text':
      return parseText(given, FIELD_TEXT_LIMITS[type]);
    case 'url':
      return parseUrl(given);
    case 'number':
      return parseNumber(given);
    case 'integer':
      return parseInteger(given);
    case 'amount':
      return parseAmount(given);
    case 'date':
      return parseDate(given);
    case 'boolean':
      return typeof given === 'boolean' ? { ...NO_VALUE, booleanValue: given } : wrong('wrong_type', { expected: 'boolean' });
    case 'choice':
      return parseChoice(given, choices);
    case 'document':
      return parseDocument(given);
  }
};
