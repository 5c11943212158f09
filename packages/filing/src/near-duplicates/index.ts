export { dismissSimilar, listSimilar, type SimilarDocument } from './list-similar.ts';
export { type DocumentSignature, makeSignature, SignatureBacklog, storeSignature } from './signature-backlog.ts';
