import type { Action } from '@sheaf/vocabulary/permissions';
import type { Operation } from '../../interface/call.ts';
import { reachesAll } from '../../session/may.ts';
import { useMe, useSession } from '../../session/session.tsx';
import type { Document } from './document-facts.tsx';

/** Files whose pages can be edited; a picture becomes a PDF then. */
const EDITABLE: ReadonlySet<string> = new Set(['application/pdf', 'image/tiff', 'image/png', 'image/jpeg']);

export const hasEditablePages = (mimeType: string): boolean => EDITABLE.has(mimeType);

/** What shows something of the file of a document. */
export const SHOWS_FILE: readonly Operation[] = [
  'get /api/documents',
  'get /api/documents/{id}',
  'get /api/documents/{id}/pages',
  'get /api/documents/{id}/versions',
];

type MayDo = (action: Action, document: Pick<Document, 'owner_id'> | undefined) => boolean;

/** Whether the user may do something with a document. */
export const useMayDo = (): MayDo => {
  const { reach } = useSession();
  const me = useMe();
  return (action, document) => reachesAll(reach(action), document && [document.owner_id], me.id);
};
