import { violates } from '@sheaf/db';
import { BytesVanished } from '../take-in.ts';
import { removeTrimmed } from '../versions/put-version.ts';
import { recordSplit } from './record-split.ts';
import type { SplitDeps, SplitRequest, SplitResult } from './split-request.ts';
import { type SplitPart, storeParts } from './store-parts.ts';

const MAX_TRIES = 3;

/**
 * Splits a document into parts that were cut already (`arrangePages`). The bytes of all parts are made safe first; then, in one transaction, the
 * document keeps its id and gets the first part as its newest version, the whole being the version before, each other part becomes a document
 * of the same owner with the same labels, all are queued, and events and import log say so. `metadata.split_into` of the document and
 * `metadata.split_from` of the parts lead from one to the other. Parts that the owner has as documents already are named and not made again.
 * Killed at any point, it leaves the document whole, or split.
 *
 *     const result = await splitDocument({ db, storage, settings }, { sha256, parts, lock, movePages, onSplit });
 *
 * A worker that has a job of the document loses it by this: the document is queued anew. Throws what `lock` and `onSplit` throw, with nothing
 * changed, and FileChanged where the document has other bytes by now.
 */
export const splitDocument = async <P extends SplitPart>(deps: SplitDeps, request: SplitRequest<P>): Promise<SplitResult<P>> => {
  for (let attempt = 1; ; attempt += 1) {
    const stored = await storeParts(deps.storage, request.parts);
    try {
      const { trimmed, ...result } = await deps.db.transaction((tx) => recordSplit(tx, deps, request, stored));
      await removeTrimmed(deps, trimmed);
      return result;
    } catch (error) {
      // its bytes were removed with another document in this moment, or came by another way: seen at the next try
      const isOvertaken = error instanceof BytesVanished || violates(error, 'documents_owner_sha256_key');
      if (!isOvertaken || attempt === MAX_TRIES) throw error;
    }
  }
};
