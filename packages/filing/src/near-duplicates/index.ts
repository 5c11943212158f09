export { dismissSimilar, listSimilar, type SimilarDocument } from './list-similar.ts';
export { SignatureBacklog } from './signature-backlog.ts';
export { type DocumentSignature, makeSignature, storeSignature } from './store-signature.ts';
