import { Checkbox, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { FormButtons } from '../../components/form-buttons.tsx';
import { OcrLanguagePicker } from '../../components/ocr-language-picker.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { useChange } from '../../interface/use-call.ts';
import { useTranslate } from '../../language/language.tsx';
import { useFieldErrors } from '../../messages/use-problem-messages.ts';
import type { Document } from './document-facts.tsx';

/** Has a document read once more, in another language if one likes. */
export const RetryForm = ({ document, onClose }: { readonly document: Document; readonly onClose: () => void }): ReactNode => {
  const t = useTranslate();
  const [language, setLanguage] = useState(document.ocr_language);
  const [isUrgent, setUrgent] = useState(true);
  const retry = useChange('post /api/documents/{id}/retry-ocr', ['get /api/documents/{id}', 'get /api/ocr/queue']);
  const errorOf = useFieldErrors(retry.error);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    retry.mutate({ params: { id: document.id }, body: { language, priority: isUrgent ? 'urgent' : 'normal' } }, { onSuccess: onClose });
  };
  return (
    <Dialog opened onClose={onClose} title={t('document.retryTitle')}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {errorOf('language') === undefined && <ProblemNote problem={retry.error} />}
          <OcrLanguagePicker
            label={t('document.ocrLanguage')}
            value={language}
            onChange={setLanguage}
            error={errorOf('language')}
            autoFocus
          />
          <Checkbox label={t('document.urgent')} checked={isUrgent} onChange={(event) => setUrgent(event.currentTarget.checked)} />
          <FormButtons submit={t('document.readAgain')} isBusy={retry.isPending} isIncomplete={language === ''} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
};
