import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { useChange } from '../../interface/use-call.ts';
import { useTranslate } from '../../language/language.tsx';
import type { User } from './user-form.tsx';

/** Takes the second factors from a user who has lost them. */
export const ResetMfa = ({ user, onClose }: { readonly user: User; readonly onClose: () => void }): ReactNode => {
  const t = useTranslate();
  const reset = useChange('delete /api/users/{user_id}/mfa', ['get /api/users']);
  return (
    <Dialog opened onClose={onClose} title={t('users.resetMfaOf', { name: user.username })}>
      <Stack gap="md">
        <ProblemNote problem={reset.error} />
        <Text size="sm">{t('users.resetMfaHint')}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t('users.cancel')}
          </Button>
          <Button
            color="red"
            loading={reset.isPending}
            onClick={() => reset.mutate({ params: { user_id: user.id } }, { onSuccess: onClose })}
          >
            {t('users.resetMfa')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
};
