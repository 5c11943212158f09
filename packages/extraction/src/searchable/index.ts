export { isSignedPdf } from '../pdf/is-signed-pdf.ts';
export { type PdfSignatures, readSignatures } from '../pdf/signatures.ts';
export { makeSearchablePdf, type RecognisedPage, type SearchablePdf, type SearchableProblem } from './searchable-pdf.ts';
