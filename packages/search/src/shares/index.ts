export { AccessCounter } from './access-counter.ts';
export {
  createShare,
  deleteSharesEndedBefore,
  listShares,
  listSharesAfter,
  revokeShare,
  type Share,
  type ShareFilter,
  type ShareSubject,
} from './change-shares.ts';
export { findSharedDocument, listSharedResults, type OpenShare, openShare, type SharedResult } from './open-share.ts';
export { isProof, makeProof, tryPassword } from './share-password.ts';
