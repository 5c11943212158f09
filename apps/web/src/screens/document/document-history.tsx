import { Checkbox, Stack, Text } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Dialog, FormButtons } from '../../components/dialog.tsx';
import { OcrLanguagePicker } from '../../components/ocr-language-picker.tsx';
import { ProblemNote, useFieldErrors } from '../../components/problem-note.tsx';
import { DocumentSection } from '../../components/screen-parts.tsx';
import { SmallNote } from '../../components/small-note.tsx';
import { useCall, useChange } from '../../interface/call.ts';
import { useFormat, useTranslate, useTranslator } from '../../language/language.tsx';
import { importLogReason } from '../../messages/import-log-reason.ts';
import { changeText } from '../rules/rule-draft.ts';
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

/** What rules have changed about a document, as items of a list: each with the rule that is the reason. */
const DocumentRuleChanges = ({ documentId }: { readonly documentId: string }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const { data } = useCall('get /api/documents/{id}/rule-changes', { params: { id: documentId } });
  return data?.changes.map((change) => (
    <li key={change.id}>
      <Text size="sm" className="stranger">
        {changeText(t, change)}
      </Text>
      <SmallNote className="stranger">
        {[
          t('document.setByRule', { name: change.rule_name }),
          format.dateTime(change.changed_at),
          change.undone_at === null ? null : t('document.ruleUndone'),
        ]
          .filter((part) => part !== null)
          .join(' · ')}
      </SmallNote>
    </li>
  ));
};

/** What rules changed about the document, then every file that became this document or is a duplicate of it. */
export const DocumentHistory = ({ documentId }: { readonly documentId: string }): ReactNode => {
  const translator = useTranslator();
  const { t, format } = translator;
  const { data } = useCall('get /api/ingest', { query: { document_id: documentId, per_page: 20 } });
  return (
    <DocumentSection title={t('document.history')}>
      <Stack gap="xs" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        <DocumentRuleChanges documentId={documentId} />
        {data?.data.length === 0 && (
          <Text component="li" size="sm" c="dimmed">
            {t('document.noHistory')}
          </Text>
        )}
        {data?.data.map((entry) => (
          <li key={entry.id}>
            <Text size="sm" className="stranger">
              {entry.path}
            </Text>
            <SmallNote className="stranger">
              {[
                t(`routes.${entry.route}`),
                t(`importLogScreen.${entry.state}`),
                format.dateTime(entry.updated_at),
                importLogReason(entry, translator),
              ]
                .filter((part) => part !== null)
                .join(' · ')}
            </SmallNote>
          </li>
        ))}
      </Stack>
    </DocumentSection>
  );
};
