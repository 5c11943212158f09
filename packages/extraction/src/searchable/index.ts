export {
  type FileToLookInto,
  type PdfSignature,
  type PdfSignatures,
  readSignatures,
  SIGNATURE_PROBLEMS,
  type SignatureProblem,
} from '../pdf/signatures.ts';
export { makeSearchablePdf, type RecognisedPage, SEARCHABLE_PROBLEMS, type SearchableProblem } from './searchable-pdf.ts';
