import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import type { Problem } from '../../interface/problem.ts';
import { useTranslate } from '../../language/language.tsx';
import { type Role, useChangeRoles } from './use-roles.ts';

/** Asks once more before a role is removed. */
export const DeleteRole = ({ role, onClose }: { readonly role: Role; readonly onClose: () => void }): ReactNode => {
  const t = useTranslate();
  const change = useChangeRoles();
  const remove = useMutation<void, Problem>({
    mutationFn: () => change((roles) => roles.filter(({ name }) => name !== role.name)),
    onSuccess: onClose,
  });
  return (
    <Dialog opened onClose={onClose} title={t('roleScreen.removeOf', { name: role.name })}>
      <Stack gap="md">
        <ProblemNote problem={remove.error} />
        <Text size="sm">{t('roleScreen.removeHint')}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t('common.cancel')}
          </Button>
          <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
            {t('roleScreen.remove')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
};
