export {
  applyPart,
  type BarcodeRules,
  type CodedPage,
  type ConfiguredRules,
  holdLabels,
  type Part,
  planParts,
  rulesFor,
} from './apply-part.ts';
export { noteDocument } from './note-document.ts';
