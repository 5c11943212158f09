import type { ReactNode } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { useChange } from '../../interface/use-call.ts';
import { useTranslate } from '../../language/language.tsx';
import type { User } from './user-form.tsx';

/** Takes the second factors from a user who has lost them. */
export const ResetMfa = ({ user, onClose }: { readonly user: User; readonly onClose: () => void }): ReactNode => {
  const t = useTranslate();
  const reset = useChange('delete /api/users/{user_id}/mfa', ['get /api/users']);
  return (
    <ConfirmDialog
      title={t('users.resetMfaOf', { name: user.username })}
      hint={t('users.resetMfaHint')}
      change={reset}
      submit={t('users.resetMfa')}
      onConfirm={() => reset.mutate({ params: { user_id: user.id } }, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
};
