export {
  applyPart,
  applyParts,
  type BarcodeRules,
  type CodedPage,
  type ConfiguredRules,
  holdLabels,
  isPlainPart,
  mergeParts,
  noteDocument,
  type Part,
  planParts,
  rulesFor,
} from './apply-part.ts';
