import type { Atom } from '../text/atoms.ts';

/** By what is written beside an amount; signs and words that people write for one currency each, in their usual capitals. */
const BY_SIGN: Readonly<Record<string, string>> = {
  '€': 'EUR',
  $: 'USD',
  '£': 'GBP',
  '¥': 'JPY',
  '₹': 'INR',
  '₺': 'TRY',
  '₴': 'UAH',
  '₽': 'RUB',
  '₩': 'KRW',
  '₪': 'ILS',
  euro: 'EUR',
  Euro: 'EUR',
  EURO: 'EUR',
  euros: 'EUR',
  zł: 'PLN',
  zl: 'PLN',
  Kč: 'CZK',
  RM: 'MYR',
  Rm: 'MYR',
  Rs: 'INR',
  Fr: 'CHF',
  SFr: 'CHF',
  Ft: 'HUF',
};

const CODES = new Set(
  `EUR USD GBP CHF PLN CZK SEK NOK DKK HUF RON BGN HRK JPY CNY INR MYR SGD AUD NZD CAD BRL MXN ZAR TRY ILS AED SAR HKD THB IDR PHP KRW TWD
  VND UAH RUB ARS CLP COP PEN EGP MAD`.split(/\s+/u),
);

/** ISO 4217 of a sign, word or code; undefined for anything else. Codes count in capitals only: "try" and "all" are words. */
export const currencyOf = ({ text }: Atom): string | undefined =>
  CODES.has(text) ? text : Object.hasOwn(BY_SIGN, text) ? BY_SIGN[text] : undefined;

/** The signs of more than one currency: another one that is named decides. */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  USD: ['CAD', 'AUD', 'NZD', 'SGD', 'HKD', 'MXN', 'TWD', 'BRL', 'ARS', 'CLP', 'COP', 'MYR'],
  JPY: ['CNY'],
};

/** The currency that most of the amounts have; undefined without any. */
export const mostCommonCurrency = (currencies: readonly string[]): string | undefined => {
  const counts = new Map<string, number>();
  for (const currency of currencies) counts.set(currency, (counts.get(currency) ?? 0) + 1);
  const [most] = [...counts].toSorted(([, one], [, other]) => other - one).map(([currency]) => currency);
  return SHARED[most ?? '']?.find((other) => counts.has(other)) ?? most;
};
