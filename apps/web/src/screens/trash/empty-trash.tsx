import type { ReactNode } from 'react';
import { ConfirmNumber } from '../../components/confirm-number.tsx';
import { useChange } from '../../interface/use-call.ts';
import { useTranslate } from '../../language/language.tsx';

/** Asks for the number of documents before the trash is emptied. Others may have moved more there: the service says the right number then. */
export const EmptyTrash = ({ total, onClose }: { readonly total: number; readonly onClose: () => void }): ReactNode => {
  const t = useTranslate();
  const empty = useChange('delete /api/trash', ['get /api/trash']);
  const matched = empty.error?.details['matched'];
  const count = typeof matched === 'number' ? matched : total;
  return (
    <ConfirmNumber
      key={count}
      count={count}
      title={t('trash.emptyTitle', { count })}
      hint={t('trash.purgeHint')}
      submit={t('trash.empty')}
      problem={typeof matched === 'number' ? null : empty.error}
      isBusy={empty.isPending}
      confirm={() => empty.mutate({ body: { confirm: count } }, { onSuccess: onClose })}
      cancel={onClose}
    />
  );
};
