import { isOutside } from './outside-reference.ts';
import { isLoadingFormula } from './sheet-formula.ts';
import { attributeOf, type ElementChange, isOpenDocument, type XmlElement } from './xml-element.ts';

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
