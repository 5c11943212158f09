import { reasonedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import type { Source } from '@sheaf/db/schema';
import { lockSource } from '@sheaf/sources';
import type { Principal } from '@sheaf/vocabulary/permissions';

/**
 * The source, locked until the end of the transaction. Throws SOURCE_NOT_FOUND where the caller may not know of it, and FORBIDDEN
 * where he may and not do this to it.
 */
export const takeSource = async (
  tx: Db,
  principal: Principal,
  action: 'sources.update' | 'sources.delete' | 'sources.sync',
  id: string,
): Promise<Source> => {
  const { source, isAllowed } = await lockSource(tx, principal, action, id);
  if (!isAllowed) throw reasonedError('FORBIDDEN', 'not_your_own');
  return source;
};
