import { attributeOf, type ElementChange, isOpenDocument, isOutside, type XmlElement } from './link-rules.ts';

const FORMULAS = new Set(['formula', 'condition', 'expression', 'value']);
const XFORMS = /\/xforms$/;
const XFORMS_LOADS = new Set(['schema', 'resource']);
/** A sheet of another file, kept for formulas. */
const OTHER_FILE = /^'(?:[a-z][a-z0-9+.-]*:|\/)/i;
/** Properties of form controls may have any name that LibreOffice has for them. */
const CONTROL_PICTURE = /url|image|graphic/i;

/** What OpenDocument has beside links: formulas, forms, sheets of other files. */
export const checkOpenDocument = (element: XmlElement): readonly ElementChange[] => {
  if (XFORMS.test(element.uri))
    return element.attributes
      .filter(({ local, value }) => XFORMS_LOADS.has(local) && value !== '')
      .map(({ name }) => ({ kind: 'link', attribute: name, value: undefined }));
  if (!isOpenDocument(element.uri)) return [];
  if (isSheetOfOtherFile(element) || isControlPicture(element)) return [{ kind: 'link' }];
  const formulas = element.attributes.filter(
    ({ local, uri, value }) => FORMULAS.has(local) && isOpenDocument(uri) && isFormula(local, value) && isLoadingFormula(value),
  );
  if (element.local === 'named-expression' && formulas.length > 0) return [{ kind: 'formula' }];
  return formulas.map(({ name }) => ({ kind: 'formula', attribute: name, value: undefined }));
};

/** `value` is that of a cell as well, which may be any text. */
const isFormula = (local: string, value: string): boolean => local !== 'value' || value.includes('(');

const isSheetOfOtherFile = (element: XmlElement): boolean =>
  element.local === 'table' && OTHER_FILE.test(attributeOf(element, 'name') ?? '');

const isControlPicture = (element: XmlElement): boolean =>
  element.local === 'property' &&
  CONTROL_PICTURE.test(attributeOf(element, 'property-name') ?? '') &&
  isOutside(attributeOf(element, 'string-value') ?? '');

/** A setting that names a file, such as the palette of a drawing. */
export const isOutsideSetting = (element: XmlElement, text: string): boolean =>
  element.local === 'config-item' && /url$/i.test(attributeOf(element, 'name') ?? '') && isOutside(text);

/**
 * WEBSERVICE and DDE load, INDIRECT may name any file, `'file:///a'#$Sheet.A1` and `[1]Sheet!A1` are cells of other files. The
 * cell keeps the value that was computed last.
 */
const LOADING = /webservice|\bdde\b|indirect|\[\d+\][^<>]{0,80}!|:\/\/|['\]]\s*#|#\s*\$/i;
const MAX_CHARS = 65_536;

/** Whether a formula of a sheet reaches outside of the document; one longer than any program writes counts as such. */
export const isLoadingFormula = (formula: string): boolean => formula.length > MAX_CHARS || LOADING.test(formula);
