import { type AppError, plainIssue, validationError } from '@sheaf/contract';

/** Refuses a value of a field, in words of ours: Paperless has no codes. */
export const refuseField = (field: string, message: string): AppError =>
  validationError(`${field}: ${message}`, { issues: [plainIssue(field, message)] });

export const isTrue = (text: string | undefined): boolean =>
  text !== undefined && ['true', '1', 't', 'yes', 'on'].includes(text.toLowerCase());

const FALSE: ReadonlySet<string> = new Set(['false', '0', 'f', 'no', 'off']);

/** Throws VALIDATION_ERROR for what is neither true nor false. */
export const readBoolean = (name: string, text: string): boolean => {
  if (isTrue(text)) return true;
  if (FALSE.has(text.toLowerCase())) return false;
  throw refuseField(name, 'must be true or false');
};

export const isInteger = (text: string): boolean => /^-?\d{1,10}$/.test(text.trim());

/** Throws VALIDATION_ERROR for what is no integer. */
export const readInteger = (name: string, text: string): number => {
  if (!isInteger(text)) throw refuseField(name, 'must be an integer');
  return Number(text);
};

const MAX_LISTED = 1_000;

/** Integers with commas between them, as one parameter or several. */
export const readIntegers = (name: string, value: string | readonly string[]): number[] => {
  const texts = [value]
    .flat()
    .flatMap((text) => text.split(',', MAX_LISTED + 1))
    .filter((text) => text.trim() !== '');
  if (texts.length > MAX_LISTED) throw refuseField(name, `must not have more than ${MAX_LISTED} values`);
  return texts.map((text) => readInteger(name, text));
};

/** Throws VALIDATION_ERROR for signs alone: the index has words only. */
export const requireLetters = (name: string, text: string): void => {
  if (!/[\p{L}\p{N}]/u.test(text)) throw refuseField(name, 'needs letters or digits');
};

const DAY = /^\d{4}-\d{2}-\d{2}$/;

export const isDay = (value: string): boolean => DAY.test(value) && new Date(`${value}T00:00:00Z`).toJSON()?.slice(0, 10) === value;
