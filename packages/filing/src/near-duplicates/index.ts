export {
  type DocumentSignature,
  dismissSimilar,
  listSimilar,
  makeSignature,
  SignatureBacklog,
  type SimilarDocument,
  storeSignature,
} from './signature-backlog.ts';
