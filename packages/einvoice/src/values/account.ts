import type { Account, PaymentMeans } from '../invoice.ts';

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
