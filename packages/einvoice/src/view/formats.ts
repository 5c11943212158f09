import type { Day, DecimalText, TaxCategory } from '../invoice.ts';
import { parseDecimal } from '../values/decimal.ts';
import type { ViewLanguage } from './labels.ts';

const MAX_DECIMALS = 20;

const formats = (minimumFractionDigits: number): Readonly<Record<ViewLanguage, Intl.NumberFormat>> => ({
  en: new Intl.NumberFormat('en', { minimumFractionDigits, maximumFractionDigits: MAX_DECIMALS }),
  de: new Intl.NumberFormat('de', { minimumFractionDigits, maximumFractionDigits: MAX_DECIMALS }),
});

const AMOUNTS = formats(2);
const NUMBERS = formats(0);

/** With the separators of the language, digit by digit; what is no number stays as it is written. */
const formatted = (text: DecimalText | undefined, format: Intl.NumberFormat): string | undefined =>
  parseDecimal(text) === undefined ? text : format.format(text as Intl.StringNumericLiteral);

export const formatAmount = (text: DecimalText | undefined, language: ViewLanguage): string | undefined =>
  formatted(text, AMOUNTS[language]);

export const formatNumber = (text: DecimalText | undefined, language: ViewLanguage): string | undefined =>
  formatted(text, NUMBERS[language]);

export const formatDay = (day: Day | undefined, language: ViewLanguage): string | undefined =>
  language === 'de' ? day?.split('-').toReversed().join('.') : day;

export const formatRate = ({ category, rate }: TaxCategory, language: ViewLanguage): string =>
  [category, rate === undefined ? undefined : `${formatNumber(rate, language)} %`].filter((part) => part !== undefined).join(' ');
