import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { useUndoableRemoval } from '../../components/undo.tsx';
import { useNotifyProblem } from '../../components/use-notify-problem.ts';
import { call, refresh, useChange } from '../../interface/call.ts';
import { useTranslate } from '../../language/language.tsx';
import { reachesAll } from '../../session/may.ts';
import { useMe, useSession } from '../../session/session.tsx';
import type { Source } from './source-draft.ts';

const TOUCHES = ['get /api/sources', 'get /api/sources/{id}', 'get /api/sources/{id}/sync-status'] as const;

/** What the user may do with a source, and how. */
export const useSourceActions = () => {
  const t = useTranslate();
  const notifyProblem = useNotifyProblem();
  const removeLater = useUndoableRemoval();
  const client = useQueryClient();
  const { reach } = useSession();
  const me = useMe();
  const [, navigate] = useLocation();
  const sync = useChange('post /api/sources/{id}/sync', TOUCHES);
  const cancel = useChange('post /api/sources/{id}/sync/cancel', TOUCHES);
  const mayDo = (action: 'sources.update' | 'sources.delete' | 'sources.sync', { owner_id: owner }: Source): boolean =>
    reachesAll(reach(action), [owner], me.id);
  return {
    mayDo,
    isStarting: sync.isPending,
    sync: ({ id }: Source) => sync.mutate({ params: { id } }, { onError: notifyProblem }),
    cancel: ({ id }: Source) => cancel.mutate({ params: { id } }, { onError: notifyProblem }),
    /** Goes to the list at once and deletes when nobody has taken it back. */
    remove: ({ id, name }: Source) => {
      const commit = async (): Promise<void> => {
        await call('delete /api/sources/{id}', { params: { id } });
        await refresh(client, ['get /api/sources']);
      };
      removeLater(id, t('sourceScreen.removed', { name }), commit, () => navigate(`/sources/${id}`));
      navigate('/sources');
    },
  };
};
