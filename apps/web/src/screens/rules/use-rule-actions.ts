import { notifications } from '@mantine/notifications';
import { useHidden, useUndoableRemoval } from '../../components/undo.tsx';
import { useNotifyProblem } from '../../components/use-notify-problem.ts';
import { call, type Operation } from '../../interface/call.ts';
import { useChange } from '../../interface/use-call.ts';
import { useTranslate } from '../../language/language.tsx';
import type { Rule } from './rule-draft.ts';

const RULES: readonly Operation[] = ['get /api/rules'];
const DOCUMENTS: readonly Operation[] = [
  'get /api/documents',
  'get /api/documents/{id}',
  'get /api/documents/{id}/rule-changes',
  'get /api/labels',
];

/** What can be done with a rule of the list; each says how it ended. */
export const useRuleActions = (refetch: () => Promise<unknown>) => {
  const t = useTranslate();
  const notifyProblem = useNotifyProblem();
  const removeLater = useUndoableRemoval();
  const { hidden } = useHidden();
  const update = useChange('patch /api/rules/{id}', RULES);
  const applying = useChange('post /api/rules/{id}/apply', DOCUMENTS);
  const undoing = useChange('post /api/rules/{id}/undo', DOCUMENTS);
  const tell = (...parts: readonly (string | undefined)[]): void => {
    notifications.show({ message: parts.filter((part) => part !== undefined).join('. ') });
  };
  const left = (count: number): string | undefined => (count === 0 ? undefined : t('rules.more', { count }));
  const options = { onError: notifyProblem };
  const isBusy = applying.isPending || undoing.isPending;
  return {
    hidden,
    enable: ({ id }: Rule, isEnabled: boolean): void => update.mutate({ params: { id }, body: { is_enabled: isEnabled } }, options),
    move: ({ id }: Rule, position: number): void => update.mutate({ params: { id }, body: { position } }, options),
    apply: ({ id }: Rule): void => {
      if (isBusy) return;
      applying.mutate(
        { params: { id } },
        { ...options, onSuccess: ({ changed, remaining }) => tell(t('rules.applied', { count: changed }), left(remaining)) },
      );
    },
    undo: ({ id }: Rule): void => {
      if (isBusy) return;
      undoing.mutate(
        { params: { id } },
        {
          ...options,
          onSuccess: ({ undone, kept, remaining }) =>
            tell(t('rules.undone', { count: undone }), kept === 0 ? undefined : t('rules.kept', { count: kept }), left(remaining)),
        },
      );
    },
    remove: ({ id, name }: Rule): void =>
      removeLater(id, t('rules.removed', { name }), async () => {
        await call('delete /api/rules/{id}', { params: { id } });
        await refetch();
      }),
  };
};
