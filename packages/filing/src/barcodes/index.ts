export { applyPart, holdLabels } from './apply-part.ts';
export { type ConfiguredRules, rulesFor } from './barcode-owner.ts';
export type { BarcodeRules } from './barcode-rules.ts';
export { noteDocument } from './note-document.ts';
export type { CodedPage } from './page-meaning.ts';
export { type Part, planParts } from './plan-parts.ts';
