import { ActionIcon, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { type FormEvent, type KeyboardEvent, type ReactNode, useState } from 'react';
import { useLeaveWarning } from '../../components/leave-warning.ts';
import { ProblemNote } from '../../components/problem-note.tsx';
import { DocumentSection } from '../../components/screen-parts.tsx';
import { SmallNote } from '../../components/small-note.tsx';
import { type Answer, type Operation, useCall, useChange } from '../../interface/call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { useMe, useSession } from '../../session/session.tsx';

type Note = Answer<'get /api/documents/{id}/notes'>['notes'][number];

const SHOWS_NOTES: readonly Operation[] = ['get /api/documents/{id}/notes', 'get /api/documents/{id}'];

const NewNote = ({ documentId }: { readonly documentId: string }): ReactNode => {
  const t = useTranslate();
  const [text, setText] = useState('');
  const add = useChange('post /api/documents/{id}/notes', SHOWS_NOTES);
  const isEmpty = text.trim() === '';
  const save = (): void => {
    if (!isEmpty && !add.isPending) add.mutate({ params: { id: documentId }, body: { text } }, { onSuccess: () => setText('') });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save();
  };
  useLeaveWarning(!isEmpty);
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <ProblemNote problem={add.error} />
        <Textarea
          aria-label={t('document.newNote')}
          placeholder={t('document.newNote')}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          autosize
          minRows={2}
          maxRows={12}
          size="sm"
        />
        {!isEmpty && (
          <Group justify="flex-end">
            <Button size="compact-xs" type="submit" loading={add.isPending}>
              {t('document.addNote')}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
};

const NoteItem = ({ documentId, note, mayDelete }: { readonly documentId: string; readonly note: Note; readonly mayDelete: boolean }) => {
  const t = useTranslate();
  const format = useFormat();
  const remove = useChange('delete /api/documents/{id}/notes/{note_id}', SHOWS_NOTES);
  return (
    <li>
      <Group justify="space-between" wrap="nowrap" align="flex-start" gap="xs">
        <Text size="sm" className="stranger" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {note.text}
        </Text>
        {mayDelete && (
          <ActionIcon
            variant="subtle"
            color="red"
            aria-label={t('document.deleteNote')}
            loading={remove.isPending}
            onClick={() => remove.mutate({ params: { id: documentId, note_id: note.id } })}
          >
            <IconTrash size={16} />
          </ActionIcon>
        )}
      </Group>
      <SmallNote>
        {note.author?.username ?? t('document.formerUser')} · {format.dateTime(note.created_at)}
      </SmallNote>
      <ProblemNote problem={remove.error} />
    </li>
  );
};

/** What people noted about a document. */
export const DocumentNotes = ({ documentId, mayChange }: { readonly documentId: string; readonly mayChange: boolean }): ReactNode => {
  const t = useTranslate();
  const me = useMe();
  const { reach } = useSession();
  const { data, error, refetch } = useCall('get /api/documents/{id}/notes', { params: { id: documentId } });
  const mayDelete = ({ author }: Note): boolean => mayChange && (author?.id === me.id || reach('documents.update') === 'all');
  return (
    <DocumentSection title={t('document.notes')}>
      <Stack gap="sm">
        {error !== null && <ProblemNote problem={error} onRetry={() => void refetch()} />}
        {data?.notes.length === 0 && !mayChange && (
          <Text size="sm" c="dimmed">
            –
          </Text>
        )}
        {data !== undefined && data.notes.length > 0 && (
          <Stack gap="xs" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
            {data.notes.map((note) => (
              <NoteItem key={note.id} documentId={documentId} note={note} mayDelete={mayDelete(note)} />
            ))}
          </Stack>
        )}
        {mayChange && <NewNote documentId={documentId} />}
      </Stack>
    </DocumentSection>
  );
};
