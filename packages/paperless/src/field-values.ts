import type { FieldValue } from '@sheaf/contract/documents';
import type { FieldKind } from './document-parts.ts';
import { refuseField } from './filters/values.ts';

/** A value of a custom field as the API of Paperless-ngx has it. */
export type PaperlessValue = string | number | boolean | number[] | null;

/** The id of the document that a value links. */
export const linkedId = (value: FieldValue): string => (typeof value === 'string' ? value : '');

/** A value as Paperless writes it; null of a field without one. A choice is its own id. */
export const toPaperlessValue = (
  { type }: FieldKind,
  value: FieldValue | null,
  numberOf: (kind: 'document', id: string) => number,
): PaperlessValue => {
  if (value === null) return null;
  if (type === 'document') return [numberOf('document', linkedId(value))];
  return typeof value === 'object' ? writeAmount(value) : value;
};

/** An amount as Paperless writes it, such as EUR12.50; a number alone where no currency is known. */
export const writeAmount = ({ amount, currency }: { readonly amount: string; readonly currency: string | null }): string =>
  `${currency ?? ''}${amount}`;

const MONETARY = /^([A-Z]{3})?(-?\d{1,15}(?:\.\d{1,15})?)$/;

/** `EUR12.50`, or `12.50` in `currency`, which is empty where none is known. Undefined for what is no amount. */
export const readAmount = (text: string, currency = ''): { amount: string; currency: string } | undefined => {
  const [, own = currency, amount] = MONETARY.exec(text) ?? [];
  return amount === undefined ? undefined : { amount, currency: own };
};

const toAmount = (value: unknown): unknown => {
  const read = readAmount(String(value));
  return read === undefined || read.currency === '' ? value : read;
};

/** The numbers of the documents that a value links. Throws VALIDATION_ERROR for more than one, which there is no place for. */
const linkedNumber = (value: unknown): number | undefined => {
  const [first, ...others] = Array.isArray(value) ? (value as unknown[]) : [value];
  if (others.length > 0) throw refuseField('custom_fields', 'a field links one document at most');
  return first === undefined ? undefined : Number(first);
};

/** A value that Paperless writes as ours, which is checked where it is set; null is none. `findDocument` answers the id behind a number. */
export const fromPaperlessValue = async (
  { type }: FieldKind,
  value: unknown,
  findDocument: (number: number) => Promise<string>,
): Promise<unknown> => {
  if (value === null || value === undefined || value === '') return null;
  if (type === 'amount') return toAmount(value);
  if (type === 'number' || type === 'integer') return typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (type === 'boolean' && typeof value === 'string') return value === 'true' ? true : value === 'false' ? false : value;
  if (type !== 'document') return value;
  const number = linkedNumber(value);
  return number === undefined ? null : findDocument(number);
};
