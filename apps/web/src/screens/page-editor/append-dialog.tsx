import { Stack, Text } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { DocumentPicker } from '../../components/document-picker.tsx';
import { FormButtons } from '../../components/form-buttons.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { useCall } from '../../interface/use-call.ts';
import { useTranslate } from '../../language/language.tsx';
import { hasEditablePages } from './editable-types.ts';

export interface Appended {
  readonly id: string;
  readonly title: string;
  readonly pageCount: number;
}

interface Props {
  readonly documentId: string;
  readonly onAppend: (document: Appended) => void;
  readonly onClose: () => void;
}

/** Chooses a document whose pages are added at the end. */
export const AppendDialog = ({ documentId, onAppend, onClose }: Props): ReactNode => {
  const t = useTranslate();
  const [id, setId] = useState('');
  const { data, error } = useCall('get /api/documents/{id}', { params: { id } }, { enabled: id !== '' });
  const pageCount = data?.page_count ?? 0;
  const refusal =
    data === undefined
      ? undefined
      : !hasEditablePages(data.mime_type)
        ? t('pageEditor.notAppendable')
        : data.status !== 'completed' || pageCount === 0
          ? t('pageEditor.notProcessed')
          : undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (data === undefined || refusal !== undefined) return;
    onAppend({ id: data.id, title: data.title, pageCount });
    onClose();
  };
  return (
    <Dialog opened onClose={onClose} title={t('pageEditor.append')}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <ProblemNote problem={error} />
          <DocumentPicker
            label={t('document.document')}
            value={id}
            title={data?.title}
            except={[documentId]}
            error={refusal}
            onChange={(chosen) => setId(chosen ?? '')}
          />
          <Text size="sm">{t('pageEditor.appendHint')}</Text>
          <FormButtons
            submit={
              refusal === undefined && data !== undefined ? t('pageEditor.appendPages', { count: pageCount }) : t('pageEditor.appendNow')
            }
            isBusy={false}
            isIncomplete={data === undefined || refusal !== undefined}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
};
