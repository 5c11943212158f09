export { AccessCounter } from './access-counter.ts';
export { createShare, revokeShare, type ShareSubject } from './change-shares.ts';
export { findSharedDocument, listSharedResults, type OpenShare, openShare, type SharedResult } from './open-share.ts';
export { isProof, makeProof, tryPassword } from './share-password.ts';
export { deleteSharesEndedBefore, listShares, listSharesAfter, type Share, type ShareFilter } from './shares.ts';
