import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { useChange } from '../../interface/use-call.ts';
import { useTranslate } from '../../language/language.tsx';
import { InvitationLinks, invitationLink } from './invitation-links.tsx';
import type { User } from './user-form.tsx';

/** Gives a user who has no password yet another invitation. */
export const InviteAgain = ({ user, onClose }: { readonly user: User; readonly onClose: () => void }): ReactNode => {
  const t = useTranslate();
  const invite = useChange('post /api/users/{user_id}/invitation', ['get /api/users']);
  const { data } = invite;
  return (
    <Dialog opened onClose={onClose} title={t('users.inviteAgainOf', { name: user.username })}>
      <Stack gap="md">
        <ProblemNote problem={invite.error} />
        {data === undefined ? (
          <Text size="sm">{t('users.inviteAgainHint')}</Text>
        ) : (
          <>
            {data.is_sent && <Alert color="teal">{t('users.inviteSent', { email: user.email })}</Alert>}
            <InvitationLinks links={[invitationLink(data.token)]} />
          </>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {data === undefined ? t('users.cancel') : t('users.close')}
          </Button>
          {data === undefined && (
            <Button loading={invite.isPending} onClick={() => invite.mutate({ params: { user_id: user.id } })} data-autofocus>
              {t('users.inviteAgain')}
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  );
};
