import type { ReactNode } from 'react';
import { ConfirmNumber } from '../../components/confirm-dialog.tsx';
import { useTranslate } from '../../language/language.tsx';
import type { Removal } from './use-bulk-actions.ts';

/** Asks for the number of documents before that many go to the trash. */
const RemovalDialog = ({ count, confirm, cancel }: Removal): ReactNode => {
  const t = useTranslate();
  return (
    <ConfirmNumber
      count={count}
      title={t('documents.removalTitle', { count })}
      hint={t('documents.removalHint')}
      submit={t('documents.remove')}
      confirm={confirm}
      cancel={cancel}
    />
  );
};
export default RemovalDialog;
