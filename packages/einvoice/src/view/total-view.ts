import type { Invoice } from '../invoice.ts';
import { formatAmount, formatNumber } from './formats.ts';
import type { Html } from './html-template.ts';
import type { ViewLanguage } from './labels.ts';
import { listOf, section, tableOf } from './view-parts.ts';

export const taxesView = ({ taxes }: Invoice, language: ViewLanguage): Html | undefined =>
  section(
    'taxes',
    language,
    tableOf(
      taxes,
      [
        { label: 'category', value: ({ category }) => category },
        { label: 'taxRate', isNumber: true, value: ({ rate }) => rate && `${formatNumber(rate, language)} %` },
        { label: 'taxable', isNumber: true, value: ({ taxable }) => formatAmount(taxable, language) },
        { label: 'taxAmount', isNumber: true, value: ({ amount }) => formatAmount(amount, language) },
        { label: 'reason', value: ({ exemptionReason, exemptionCode }) => exemptionReason ?? exemptionCode },
      ],
      language,
    ),
  );

export const totalsView = ({ totals, currency, taxCurrency }: Invoice, language: ViewLanguage): Html | undefined => {
  const amount = (text: string | undefined, of = currency): string | undefined =>
    text === undefined ? undefined : [formatAmount(text, language), of].filter(Boolean).join(' ');
  return section(
    'totals',
    language,
    listOf(
      [
        ['totalLines', amount(totals.lines)],
        ['totalAllowances', amount(totals.allowances)],
        ['totalCharges', amount(totals.charges)],
        ['totalNet', amount(totals.net)],
        ['totalTax', amount(totals.tax)],
        ['totalTax', amount(totals.taxInTaxCurrency, taxCurrency)],
        ['grandTotal', amount(totals.grandTotal)],
        ['prepaid', amount(totals.prepaid)],
        ['rounding', amount(totals.rounding)],
        ['payable', amount(totals.payable)],
      ],
      language,
    ),
  );
};
