import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { useCall, useChange } from '../../interface/use-call.ts';
import { useTranslate } from '../../language/language.tsx';
import type { User } from './user-form.tsx';

interface Props {
  readonly user: User;
  readonly onClose: () => void;
}

/** Deletes a user; asks who takes over what is theirs. */
export const DeleteUser = ({ user, onClose }: Props): ReactNode => {
  const t = useTranslate();
  const [heir, setHeir] = useState<string | null>(null);
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed, 200);
  const others = useCall('get /api/users', { query: { per_page: 50, ...(q === '' ? {} : { q }) } }, { keepPrevious: true });
  const remove = useChange('delete /api/users/{user_id}', ['get /api/users', 'get /api/roles']);
  return (
    <Dialog opened onClose={onClose} title={t('users.deleteTitle', { name: user.username })}>
      <Stack gap="md">
        <ProblemNote problem={remove.error} />
        <Text size="sm">{t('users.deleteHint')}</Text>
        <Select
          label={t('users.deleteTransfer')}
          placeholder={t('users.deleteNobody')}
          clearable
          searchable
          data={(others.data?.data ?? []).filter(({ id }) => id !== user.id).map(({ id, username }) => ({ value: id, label: username }))}
          value={heir}
          onChange={setHeir}
          searchValue={typed}
          onSearchChange={setTyped}
          filter={({ options }) => options}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('users.cancel')}
          </Button>
          <Button
            color="red"
            loading={remove.isPending}
            onClick={() =>
              remove.mutate({ params: { user_id: user.id }, query: heir === null ? {} : { transfer_to: heir } }, { onSuccess: onClose })
            }
          >
            {t('users.deleteConfirm')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
};
