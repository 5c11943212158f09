import type { Action } from '@sheaf/vocabulary/permissions';
import { reachesAll } from '../../session/may.ts';
import { useMe, useSession } from '../../session/session.tsx';
import type { Document } from './document-facts.tsx';

type MayDo = (action: Action, document: Pick<Document, 'owner_id'> | undefined) => boolean;

/** Whether the user may do something with a document. */
export const useMayDo = (): MayDo => {
  const { reach } = useSession();
  const me = useMe();
  return (action, document) => reachesAll(reach(action), document && [document.owner_id], me.id);
};
