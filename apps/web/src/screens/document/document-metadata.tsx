import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { SERVICE_METADATA_KEYS } from '@sheaf/vocabulary/documents';
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { type FocusEvent, type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { useLeaveWarning } from '../../components/leave-warning.ts';
import { ProblemNote, useProblemMessages } from '../../components/problem-note.tsx';
import { DocumentSection, ScreenHeader } from '../../components/screen-parts.tsx';
import { useChange } from '../../interface/call.ts';
import { useTranslate } from '../../language/language.tsx';
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

interface Field {
  readonly key: number;
  readonly name: string;
  readonly value: string;
}

let nextKey = 0;
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
const fieldsOf = ({ metadata }: Document): Field[] =>
  Object.entries(metadata)
    .filter(([name]) => !SERVICE_METADATA_KEYS.includes(name))
    .map(([name, value]) => ({ key: nextKey++, name, value: textOf(value) }));

/** A value that was no text before stays what it was, unless somebody changed it. */
const toMetadata = (fields: readonly Field[], before: Document['metadata']): Record<string, unknown> =>
  Object.fromEntries(
    fields
      .filter(({ name }) => name.trim() !== '')
      .map(({ name, value }) => {
        const old = before[name];
        return [name.trim(), old !== undefined && textOf(old) === value ? old : value];
      }),
  );

/** Fields that people give a document themselves. */
export const DocumentMetadata = ({ document, mayChange }: { readonly document: Document; readonly mayChange: boolean }): ReactNode => {
  const t = useTranslate();
  const [fields, setFields] = useState(() => fieldsOf(document));
  const [isTouched, setTouched] = useState(false);
  const change = useChange('patch /api/documents/{id}', ['get /api/documents/{id}']);
  const { metadata } = document;
  // news of others, as long as nothing was typed here
  useEffect(() => {
    if (!isTouched) setFields(fieldsOf({ metadata } as Document));
  }, [metadata, isTouched]);
  const edit = (key: number, changes: Partial<Field>): void => {
    setTouched(true);
    setFields((before) => before.map((field) => (field.key === key ? { ...field, ...changes } : field)));
  };
  const save = (): void => {
    if (!isTouched) return;
    change.mutate(
      { params: { id: document.id }, body: { metadata: toMetadata(fields, metadata) } },
      { onSuccess: () => setTouched(false) },
    );
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save();
  };
  // what was typed is kept when the person goes on to something else, as labels and the title are
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent<HTMLFormElement>): void => {
    if (!currentTarget.contains(relatedTarget)) save();
  };
  useLeaveWarning(isTouched);
  return (
    <DocumentSection title={t('document.metadata')}>
      <form onSubmit={submit} onBlur={onBlur}>
        <Stack gap="xs">
          <ProblemNote problem={change.error} />
          {fields.length === 0 && !mayChange && (
            <Text size="sm" c="dimmed">
              –
            </Text>
          )}
          {fields.map(({ key, name, value }) => (
            <Group key={key} gap="xs" wrap="nowrap">
              <TextInput
                size="xs"
                aria-label={t('document.field')}
                placeholder={t('document.field')}
                value={name}
                readOnly={!mayChange}
                onChange={(event) => edit(key, { name: event.currentTarget.value })}
                style={{ flex: 1 }}
              />
              <TextInput
                size="xs"
                aria-label={`${t('document.value')}: ${name}`}
                placeholder={t('document.value')}
                value={value}
                readOnly={!mayChange}
                onChange={(event) => edit(key, { value: event.currentTarget.value })}
                style={{ flex: 2 }}
              />
              {mayChange && (
                <ActionIcon
                  variant="subtle"
                  color="red"
                  aria-label={t('document.removeField', { name: name })}
                  // saved when the person leaves the form, of which the button is a part
                  onClick={() => {
                    setTouched(true);
                    setFields((before) => before.filter((field) => field.key !== key));
                  }}
                >
                  <IconTrash size={16} />
                </ActionIcon>
              )}
            </Group>
          ))}
          {mayChange && (
            <Group justify="space-between">
              <Button
                size="compact-xs"
                variant="subtle"
                leftSection={<IconPlus size={14} />}
                onClick={() => setFields((before) => [...before, { key: nextKey++, name: '', value: '' }])}
              >
                {t('document.addField')}
              </Button>
              {isTouched && (
                <Button size="compact-xs" type="submit" loading={change.isPending}>
                  {t('document.save')}
                </Button>
              )}
            </Group>
          )}
        </Stack>
      </form>
    </DocumentSection>
  );
};
