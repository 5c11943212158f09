import { Button, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { FILING_CALLS, type FilingEntry, type FilingKind } from '../../components/filing-kinds.ts';
import { ProblemNote } from '../../components/problem-note.tsx';
import { useChange } from '../../interface/use-call.ts';
import { useTranslate } from '../../language/language.tsx';
import { touchedBy } from './touched.ts';

interface Props {
  readonly kind: FilingKind;
  readonly entry: FilingEntry;
  readonly onClose: () => void;
}

/** Names the documents that lose the entry before it is deleted. */
export const RemovalDialog = ({ kind, entry, onClose }: Props): ReactNode => {
  const t = useTranslate();
  const change = useChange(FILING_CALLS[kind].remove, touchedBy(kind));
  const { id, name, document_count: count } = entry;
  const remove = (): void => {
    const onSuccess = (): void => {
      notifications.show({ message: t('filing.removed', { name }) });
      onClose();
    };
    change.mutate({ params: { id } }, { onSuccess });
  };
  return (
    <Dialog opened onClose={onClose} title={t('labels.removeOf', { name })}>
      <Stack gap="md">
        <ProblemNote problem={change.error} />
        <Text size="sm">{t('filing.removalHint', { count })}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t('common.cancel')}
          </Button>
          <Button color="red" loading={change.isPending} onClick={remove}>
            {t('labels.remove')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
};
