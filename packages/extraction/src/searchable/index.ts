export { isSignedPdf, type PdfSignatures, readSignatures } from '../pdf/is-signed-pdf.ts';
export { makeSearchablePdf, type RecognisedPage, type SearchablePdf, type SearchableProblem } from './searchable-pdf.ts';
