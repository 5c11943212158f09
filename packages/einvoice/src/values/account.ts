import type { Account } from '../invoice.ts';

/** ISO 13616: country, two check digits, 11 to 30 letters and digits. */
const IBAN = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/;
const MAX_CHARS = 64;

/** An account of BG-17; an IBAN is recognised by its form, wherever it stands. */
export const makeAccount = (id: string | undefined, name: string | undefined, bic: string | undefined): Account => {
  const iban = id === undefined ? undefined : toIban(id);
  return { id: iban ?? id, isIban: iban !== undefined, name, bic };
};

/** Without spaces and in capitals; undefined where it has not the form of an IBAN. */
export const toIban = (text: string): string | undefined => {
  if (text.length > MAX_CHARS) return undefined;
  const iban = text.replace(/\s/g, '').toUpperCase();
  return IBAN.test(iban) ? iban : undefined;
};
