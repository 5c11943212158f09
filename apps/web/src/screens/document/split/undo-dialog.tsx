import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import { ProblemNote } from '../../../components/problem-note.tsx';
import { useChange } from '../../../interface/use-call.ts';
import { useTranslate } from '../../../language/language.tsx';
import { SHOWS_FILE } from '../versions/touched.ts';

/** Asks before the parts of a document are put together again. */
export const UndoDialog = ({ documentId, onClose }: { readonly documentId: string; readonly onClose: () => void }): ReactNode => {
  const t = useTranslate();
  const undo = useChange('post /api/documents/{id}/split/undo', [...SHOWS_FILE, 'get /api/search', 'get /api/ingest']);
  return (
    <Dialog opened onClose={onClose} title={t('split.undoTitle')}>
      <Stack gap="md">
        <ProblemNote problem={undo.error} />
        <Text size="sm">{t('split.undoHint')}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button loading={undo.isPending} onClick={() => undo.mutate({ params: { id: documentId } }, { onSuccess: onClose })}>
            {t('split.undo')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
};
