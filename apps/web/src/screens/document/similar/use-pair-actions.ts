import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { useHidden, useUndoableRemoval } from '../../../components/undo.tsx';
import { call, type Operation, refresh, useChange } from '../../../interface/call.ts';
import type { Problem } from '../../../interface/problem.ts';
import { useTranslate } from '../../../language/language.tsx';
import { useMayDo } from '../document-actions.ts';
import type { Document } from '../document-facts.tsx';

const SHOWS_SIMILAR: readonly Operation[] = ['get /api/documents/{id}/similar', 'get /api/documents', 'get /api/search'];

/** What shows what a document is joined with. */
const SHOWS_DOCUMENT: readonly Operation[] = ['get /api/documents/{id}', 'get /api/documents/{id}/versions'];

interface PairActions {
  readonly dismiss: () => void;
  readonly isDismissing: boolean;
  /** Makes one of the two an earlier version of the other one. */
  readonly join: (older: Document) => void;
  readonly isJoining: boolean;
  readonly remove: (one: Document) => void;
  readonly problem: Problem | null;
  readonly mayDismiss: boolean;
  readonly mayJoin: (older: Document) => boolean;
  readonly mayRemove: (one: Document) => boolean;
}

/** What can be done with two near-duplicates. The screen is that of `shown`: it becomes that of `other` where `shown` is no document any more. */
export const usePairActions = (shown: Document, other: Document): PairActions => {
  const t = useTranslate();
  const client = useQueryClient();
  const removeLater = useUndoableRemoval();
  const { show } = useHidden();
  const [, navigate] = useLocation();
  const mayDo = useMayDo();
  const dismiss = useChange('post /api/documents/{id}/similar/{other_id}/dismiss', SHOWS_SIMILAR);
  const join = useChange('post /api/documents/{id}/versions', [...SHOWS_SIMILAR, ...SHOWS_DOCUMENT]);
  const mayChangeBoth = mayDo('documents.update', shown) && mayDo('documents.update', other);
  const leave = (gone: Document): void => {
    if (gone.id === shown.id) navigate(`/documents/${other.id}`);
  };
  return {
    dismiss: () => dismiss.mutate({ params: { id: shown.id, other_id: other.id } }),
    isDismissing: dismiss.isPending,
    join: (older) => {
      const newer = older.id === shown.id ? other : shown;
      join.mutate({ params: { id: newer.id }, body: { document_id: older.id } }, { onSuccess: () => leave(older) });
    },
    isJoining: join.isPending,
    remove: ({ id, title }) => {
      const commit = async (): Promise<void> => {
        await call('delete /api/documents/{id}', { params: { id } });
        await refresh(client, SHOWS_SIMILAR);
        show([id]);
      };
      removeLater(id, t('document.removed', { title }), commit, () => {
        if (id === shown.id) navigate(`/documents/${id}`);
      });
      if (id === shown.id) leave(shown);
    },
    problem: dismiss.error ?? join.error,
    mayDismiss: mayChangeBoth,
    mayJoin: (older) => mayChangeBoth && mayDo('documents.delete', older),
    mayRemove: (one) => mayDo('documents.delete', one),
  };
};
