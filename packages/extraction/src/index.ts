export type { Barcode, PageBarcodes } from './barcodes/barcode.ts';
export type { BarcodeFailure, FoundBarcodes } from './barcodes/find-barcodes.ts';
export {
  EXTRACTION_STAGES,
  type ExtractedPage,
  type Extraction,
  type ExtractionFailed,
  type ExtractionLimits,
  type ExtractionRequest,
  type ExtractionSettings,
  type ExtractionStage,
  type OpenedDocument,
  UnreadableDocument,
} from './extraction.ts';
export { Extractor } from './extractor.ts';
export { ocrLanguageOf } from './language/language-task.ts';
export { OfficeToPdf } from './office/office-converter.ts';
