// What only the tests of this package import: production code uses the index.

export { applyEdits } from './link-rules.ts';
export { PackageSource } from './package-source.ts';
export { RtfInspection, RtfReader, type StripOutcome, stripExternalReferences } from './strip-external-references.ts';
export { XmlInspection } from './strip-package.ts';
export { UnreadablePart } from './xml-encoding.ts';
