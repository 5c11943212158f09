import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { useChange } from '../../interface/use-call.ts';
import { useTranslate } from '../../language/language.tsx';

interface Props {
  readonly id: string;
  readonly title: string;
  readonly onClose: () => void;
}

/** Asks once more before a document goes for good. */
export const PurgeDocument = ({ id, title, onClose }: Props): ReactNode => {
  const t = useTranslate();
  const purge = useChange('delete /api/trash/{id}', ['get /api/trash']);
  return (
    <Dialog opened onClose={onClose} title={t('trash.purgeTitle', { title })}>
      <Stack gap="md">
        <ProblemNote problem={purge.error} />
        <Text size="sm">{t('trash.purgeHint')}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t('common.cancel')}
          </Button>
          <Button color="red" loading={purge.isPending} onClick={() => purge.mutate({ params: { id } }, { onSuccess: onClose })}>
            {t('trash.purge')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
};
