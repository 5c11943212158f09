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
