// What only the tests of this package import: production code uses the index.
export { PackageSource } from './package-source.ts';
export { RtfInspection } from './rtf-inspection.ts';
export { RtfReader } from './rtf-reader.ts';
export { type StripOutcome, stripExternalReferences } from './strip-external-references.ts';
export { applyEdits } from './text-edits.ts';
export { UnreadablePart } from './unreadable-part.ts';
export { XmlInspection } from './xml-inspection.ts';
