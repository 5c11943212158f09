import type { Db } from '@sheaf/db';
import { findDocumentsOfBytes } from '@sheaf/ingest/integrity';

const MAX_NAMED = 5;

/** `document <id>`, or `documents <id>, <id>` with these bytes; undefined where there is none any more. */
export const nameDocuments = async (db: Db, sha256: string): Promise<string | undefined> => {
  const ids = await findDocumentsOfBytes(db, sha256, MAX_NAMED + 1);
  if (ids.length === 0) return undefined;
  const named = ids.slice(0, MAX_NAMED).join(', ');
  return `${ids.length === 1 ? 'document' : 'documents'} ${named}${ids.length > MAX_NAMED ? ' and others' : ''}`;
};
