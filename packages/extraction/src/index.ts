export type { ExtractedPage, Extraction, ExtractionFailed, ExtractionRequest, ExtractionSettings, OpenedDocument } from './extraction.ts';
export { type ExtractionProblem, Extractor } from './extractor.ts';
