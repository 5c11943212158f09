import { ActionIcon, Button, Group, TextInput } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ScreenHeader } from '../../components/screen-header.tsx';
import { useChange } from '../../interface/use-call.ts';
import { useTranslate } from '../../language/language.tsx';
import { useProblemMessages } from '../../messages/use-problem-messages.ts';
import type { Document } from './document-facts.tsx';

interface Props {
  readonly document: Document;
  readonly mayChange: boolean;
  readonly children: ReactNode;
}

/** The title, which can be changed where it stands. */
export const DocumentTitle = ({ document, mayChange, children }: Props): ReactNode => {
  const t = useTranslate();
  const { ofProblem } = useProblemMessages();
  const [draft, setDraft] = useState<string>();
  const change = useChange('patch /api/documents/{id}', ['get /api/documents/{id}', 'get /api/documents']);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    change.mutate({ params: { id: document.id }, body: { title: draft ?? '' } }, { onSuccess: () => setDraft(undefined) });
  };
  if (draft === undefined)
    return (
      <ScreenHeader title={document.title}>
        {mayChange && (
          <ActionIcon
            variant="subtle"
            size="lg"
            onClick={() => setDraft(document.title)}
            aria-label={t('document.editTitle')}
            title={t('document.editTitle')}
          >
            <IconPencil size={18} />
          </ActionIcon>
        )}
        {children}
      </ScreenHeader>
    );
  return (
    <form onSubmit={submit}>
      <Group align="flex-end" mb="md" gap="xs">
        <TextInput
          label={t('document.titleLabel')}
          value={draft}
          onChange={(event) => setDraft(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') setDraft(undefined);
          }}
          error={change.error === null ? undefined : ofProblem(change.error)}
          maxLength={1_000}
          autoFocus
          style={{ flex: '1 1 260px' }}
        />
        <Button type="submit" loading={change.isPending}>
          {t('document.save')}
        </Button>
        <Button variant="default" onClick={() => setDraft(undefined)}>
          {t('document.cancel')}
        </Button>
      </Group>
    </form>
  );
};
