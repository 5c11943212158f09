import { type Html, type HtmlValue, html } from './html-template.ts';
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
