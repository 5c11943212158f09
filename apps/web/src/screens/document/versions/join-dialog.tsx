import { Stack, Text } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import { DocumentPicker } from '../../../components/document-picker.tsx';
import { FormButtons } from '../../../components/form-buttons.tsx';
import { ProblemNote } from '../../../components/problem-note.tsx';
import { useChange } from '../../../interface/use-call.ts';
import { useTranslate } from '../../../language/language.tsx';
import { SHOWS_FILE } from './touched.ts';

/** Chooses the document that becomes an earlier version of this one. */
export const JoinDialog = ({ documentId, onClose }: { readonly documentId: string; readonly onClose: () => void }): ReactNode => {
  const t = useTranslate();
  const [older, setOlder] = useState('');
  const join = useChange('post /api/documents/{id}/versions', SHOWS_FILE);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (older !== '') join.mutate({ params: { id: documentId }, body: { document_id: older } }, { onSuccess: onClose });
  };
  return (
    <Dialog opened onClose={onClose} title={t('versions.join')}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <ProblemNote problem={join.error} />
          <DocumentPicker label={t('versions.older')} value={older} except={[documentId]} onChange={(id) => setOlder(id ?? '')} />
          <Text size="sm">{t('versions.joinHint')}</Text>
          <FormButtons submit={t('versions.joinNow')} isBusy={join.isPending} isIncomplete={older === ''} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
};
