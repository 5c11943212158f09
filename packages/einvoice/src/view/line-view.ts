import type { Adjustment, Invoice, Line } from '../invoice.ts';
import { formatAmount, formatDay, formatNumber, formatRate } from './formats.ts';
import { type Html, type HtmlValue, html } from './html-template.ts';
import { labelOf, type ViewLanguage } from './labels.ts';
import { section, tableOf } from './view-parts.ts';

const small = (text: string | undefined): Html | undefined => (text === undefined ? undefined : html`<div class="small">${text}</div>`);

const adjustmentText = (adjustment: Adjustment, language: ViewLanguage): string => {
  const label = labelOf(adjustment.isCharge ? 'charge' : 'allowance', language);
  return `${label}: ${[formatAmount(adjustment.amount, language), adjustment.reason ?? adjustment.reasonCode].filter(Boolean).join(' ')}`;
};

const itemOf = (line: Line, language: ViewLanguage): HtmlValue => [
  html`<div>${line.name}</div>`,
  small(line.description),
  small(line.note),
  small(line.sellerItemId && `${labelOf('itemNumber', language)}: ${line.sellerItemId}`),
  ...line.itemAttributes.map(({ name, value }) => small(`${name ?? ''}: ${value ?? ''}`)),
  small(line.period && `${formatDay(line.period.start, language) ?? ''} – ${formatDay(line.period.end, language) ?? ''}`),
  ...line.adjustments.map((adjustment) => small(adjustmentText(adjustment, language))),
];

export const linesView = ({ lines }: Invoice, language: ViewLanguage): Html | undefined =>
  section(
    'lines',
    language,
    tableOf(
      lines,
      [
        { label: 'position', value: ({ id }) => id },
        { label: 'item', value: (line) => itemOf(line, language) },
        { label: 'quantity', isNumber: true, value: ({ quantity }) => formatNumber(quantity, language) },
        { label: 'unit', value: ({ unit }) => unit },
        { label: 'netPrice', isNumber: true, value: ({ netPrice }) => formatAmount(netPrice, language) },
        { label: 'taxRate', isNumber: true, value: ({ tax }) => formatRate(tax, language) },
        { label: 'netAmount', isNumber: true, value: ({ netAmount }) => formatAmount(netAmount, language) },
      ],
      language,
    ),
  );

export const adjustmentsView = ({ adjustments }: Invoice, language: ViewLanguage): Html | undefined =>
  section(
    'adjustments',
    language,
    tableOf(
      adjustments,
      [
        { label: 'category', value: ({ isCharge }) => labelOf(isCharge ? 'charge' : 'allowance', language) },
        { label: 'reason', value: ({ reason, reasonCode }) => reason ?? reasonCode },
        { label: 'taxRate', isNumber: true, value: ({ tax }) => formatRate(tax, language) },
        { label: 'amount', isNumber: true, value: ({ amount }) => formatAmount(amount, language) },
      ],
      language,
    ),
  );
