import { isOutside, leavesPackage } from './outside-reference.ts';
import { attributeOf, type ElementChange, type XmlElement } from './xml-element.ts';

const HYPERLINK = /\/hyperlink$/i;
const RELATIONSHIPS = new Set([
  'http://schemas.openxmlformats.org/officeDocument/2006/relationships',
  'http://purl.oclc.org/ooxml/officeDocument/relationships',
]);
const LINK_ELEMENTS = new Set(['hyperlink', 'hlinkClick', 'hlinkHover', 'hlinkMouseOver']);

/** The part that the relationships in `name` belong to; empty for those of the package itself. Undefined: it holds none. */
export const sourcePartOf = (name: string): string | undefined => {
  const match = /^(.*\/|)_rels\/([^/]*)\.rels$/i.exec(name);
  return match === null ? undefined : `${match[1]}${match[2]}`;
};

/** Relationships with what lies outside of the package go; hyperlinks stay, and their ids are added to `hyperlinks`. */
export const checkRelationship = (element: XmlElement, sourcePart: string, hyperlinks: Set<string>): readonly ElementChange[] => {
  if (element.local !== 'Relationship') return [];
  const target = attributeOf(element, 'Target') ?? '';
  const isExternal = (attributeOf(element, 'TargetMode') ?? '').trim().toLowerCase() === 'external';
  if (HYPERLINK.test(attributeOf(element, 'Type') ?? '')) {
    if (isExternal || isOutside(target)) hyperlinks.add(attributeOf(element, 'Id') ?? '');
    return [];
  }
  return isExternal || leavesPackage(sourcePart, target) ? [{ kind: 'relationship' }] : [];
};

/** The id of a hyperlink where a picture or a part is meant would load its target: nothing looks at the type of a relationship. */
export const checkRelationshipIds = (element: XmlElement, hyperlinks: ReadonlySet<string>): readonly ElementChange[] => {
  if (hyperlinks.size === 0 || LINK_ELEMENTS.has(element.local)) return [];
  return element.attributes
    .filter(({ uri, local, value }) => (RELATIONSHIPS.has(uri) || local === 'relid') && hyperlinks.has(value))
    .map(({ name }) => ({ kind: 'relationship', attribute: name, value: undefined }));
};
