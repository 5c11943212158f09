export {
  applyPart,
  applyParts,
  type BarcodeRules,
  type CodedPage,
  type ConfiguredRules,
  holdLabels,
  isPlainPart,
  mergeParts,
  type Part,
  planParts,
  rulesFor,
} from './apply-part.ts';
export { noteDocument } from './note-document.ts';
