import type { Day, DecimalText, Invoice, TaxCategory } from '../invoice.ts';
import { parseDecimal } from '../values/values.ts';
import { type LabelKey, labelOf, type ViewLanguage } from './labels.ts';

type Row = readonly [label: LabelKey, value: string | undefined];

/** Labels and values, without those that have none. */
export const listOf = (rows: readonly Row[], language: ViewLanguage): Html | undefined => {
  const given = rows.filter(([, value]) => value !== undefined && value !== '');
  if (given.length === 0) return undefined;
  return html`<dl>${given.map(([label, value]) => html`<dt>${labelOf(label, language)}</dt><dd>${value}</dd>`)}</dl>`;
};

/** A heading with content; nothing where the content is. */
export const section = (heading: LabelKey, language: ViewLanguage, ...content: readonly HtmlValue[]): Html | undefined =>
  content.every((part) => part === undefined) ? undefined : html`<section><h2>${labelOf(heading, language)}</h2>${content}</section>`;

interface Column<Item> {
  readonly label: LabelKey;
  /** Numbers stand on the right. */
  readonly isNumber?: true;
  readonly value: (item: Item) => HtmlValue;
}

/** Undefined where there are no rows. */
export const tableOf = <Item>(items: readonly Item[], columns: readonly Column<Item>[], language: ViewLanguage): Html | undefined => {
  if (items.length === 0) return undefined;
  const alignment = ({ isNumber }: Column<Item>): Html | undefined => (isNumber === undefined ? undefined : html` class="number"`);
  const head = columns.map((column) => html`<th scope="col"${alignment(column)}>${labelOf(column.label, language)}</th>`);
  const rows = items.map((item) => html`<tr>${columns.map((column) => html`<td${alignment(column)}>${column.value(item)}</td>`)}</tr>`);
  return html`<table><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table>`;
};

/** Markup that is safe to put into a page: only the template below makes it. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

export type HtmlValue = Html | string | undefined | readonly HtmlValue[];

const REFERENCES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => REFERENCES[char] ?? '');

const toMarkup = (value: HtmlValue): string => {
  if (value === undefined) return '';
  if (value instanceof Html) return value.markup;
  return typeof value === 'string' ? escapeHtml(value) : value.map(toMarkup).join('');
};

/** A template of HTML in which every text is escaped, in elements and in quoted attributes. */
export const html = (pieces: TemplateStringsArray, ...values: readonly HtmlValue[]): Html =>
  new Html(pieces.map((piece, i) => piece + toMarkup(values[i])).join(''));

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
