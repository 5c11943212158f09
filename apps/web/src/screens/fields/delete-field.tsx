import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import type { CustomField } from '../../components/use-all-fields.ts';
import { useChange } from '../../interface/use-call.ts';
import { useTranslate } from '../../language/language.tsx';
import { confirmedCount } from './confirmed-count.ts';
import { TOUCHED } from './touched.ts';

/** Asks once more before a field goes, with the number of documents that lose a value. */
export const DeleteField = ({ field, onClose }: { readonly field: CustomField; readonly onClose: () => void }): ReactNode => {
  const t = useTranslate();
  const remove = useChange('delete /api/fields/{id}', TOUCHED);
  // more of them may have one by now
  const told = confirmedCount(remove.error);
  const count = told ?? field.document_count;
  return (
    <Dialog opened onClose={onClose} title={t('customFields.removeOf', { name: field.name })}>
      <Stack gap="md">
        {told === undefined && <ProblemNote problem={remove.error} />}
        <Text size="sm" role="status">
          {t('customFields.removeHint', { count })}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t('common.cancel')}
          </Button>
          <Button
            color="red"
            loading={remove.isPending}
            onClick={() => remove.mutate({ params: { id: field.id }, query: { confirm: count } }, { onSuccess: onClose })}
          >
            {t('customFields.remove')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
};
