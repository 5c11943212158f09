/**
 * Markup that could be a reference. Names of elements and attributes cannot be disguised in XML; values can, by character
 * references, sections and comments, which are hints themselves. Whatever has none of these need not be parsed.
 */
const HINTS = new RegExp(
  [
    /(?:href|src|image-data|archive|datasource|database-name|string-value|schema|resource)\s*=/,
    /(?:section|table|range|dde)-source|database-source|source-service|dde-(?:connection-decl|link)|ddeLink|oleLink/,
    /fldChar|instr(?:Text)?[\s>=]|InstrText|subDoc|attachedTemplate|mailMerge|webPr|textPr|dbPr|olapPr|config-item[\s>]|[<:]html[\s>]/,
    /&#|<!|<\?(?!xml )/,
    /webservice|\bdde\b|indirect|file:|(?:['\]]|&apos;)\s*#|#\s*\$|\[\d+\][^<>]{0,80}!/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
);
const OVERLAP_CHARS = 256;

/** Whether a part in UTF-8 has to be parsed. */
export class XmlHints {
  #rest = '';

  /** True as soon as something is found in `chunk` or across its beginning. */
  isIn(chunk: Buffer): boolean {
    const text = this.#rest + chunk.toString('latin1');
    this.#rest = text.slice(-OVERLAP_CHARS);
    return HINTS.test(text);
  }
}
