import { Button, Card, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { type FocusEvent, type ReactNode, useMemo } from 'react';
import { EntryPicker } from '../../components/entry-picker.tsx';
import { type Label, LabelChip, LabelPicker } from '../../components/label-picker.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { DocumentSection } from '../../components/screen-parts.tsx';
import { useAllLabels } from '../../components/use-all-labels.ts';
import { useNotifyProblem } from '../../components/use-notify-problem.ts';
import { type Arguments, call, useChange } from '../../interface/call.ts';
import { useTranslate } from '../../language/language.tsx';
import { useSession } from '../../session/session.tsx';
import type { Document } from './document-facts.tsx';

const GREY = '#808080';

/** What is left when labels are taken off: those below them go as well. */
const withoutOrphans = (before: readonly Label[], picked: readonly Label[]): readonly Label[] => {
  const gone = new Set(before.filter(({ id }) => !picked.some((one) => one.id === id)).map(({ name }) => name));
  return picked.filter(({ path }) => !path.some((name) => gone.has(name)));
};

/** The labels of a document. What is chosen is kept at once. */
export const DocumentLabels = ({ document, mayChange }: { readonly document: Document; readonly mayChange: boolean }): ReactNode => {
  const t = useTranslate();
  const notifyProblem = useNotifyProblem();
  const labels = useAllLabels();
  const change = useChange('patch /api/documents/{id}', ['get /api/documents/{id}', 'get /api/documents', 'get /api/labels']);
  // a document knows its labels by name
  const value = useMemo(
    () =>
      document.labels.map(
        (name) => labels.find((label) => label.name === name) ?? ({ id: name, name, path: [name], color: GREY } as unknown as Label),
      ),
    [document.labels, labels],
  );
  return (
    <Card withBorder padding="md" component="section" aria-label={t('document.labels')}>
      {mayChange ? (
        <LabelPicker
          label={t('document.labels')}
          value={value}
          onChange={(picked) =>
            change.mutate(
              { params: { id: document.id }, body: { labels: withoutOrphans(value, picked).map(({ name }) => name) } },
              { onError: notifyProblem },
            )
          }
        />
      ) : (
        <>
          <Title order={2} size="h5" mb="sm">
            {t('document.labels')}
          </Title>
          <Group gap={6}>
            {value.length === 0 && (
              <Text size="sm" c="dimmed">
                –
              </Text>
            )}
            {value.map(({ name, color }) => (
              <LabelChip key={name} name={name} color={color} />
            ))}
          </Group>
        </>
      )}
    </Card>
  );
};

type Filing = Arguments<'patch /api/documents/{id}'>['body'];

const TOUCHED = ['get /api/documents/{id}', 'get /api/documents', 'get /api/correspondents', 'get /api/document-types'] as const;

/** What stands in a field, null where it is empty, undefined where it is not complete. */
const valueOf = ({ value, validity }: HTMLInputElement): string | null | undefined => {
  if (validity.badInput) return undefined;
  return value === '' ? null : value;
};

/** Who a document is from, what it is, the day that it bears, and the number under which its paper is filed. What is entered is kept when the field is left. */
export const DocumentFiling = ({ document, mayChange }: { readonly document: Document; readonly mayChange: boolean }): ReactNode => {
  const t = useTranslate();
  const { may } = useSession();
  const change = useChange('patch /api/documents/{id}', TOUCHED);
  const notifyProblem = useNotifyProblem();
  const save = (body: Filing): void => change.mutate({ params: { id: document.id }, body });
  const saveDate = ({ currentTarget }: FocusEvent<HTMLInputElement>): void => {
    const day = valueOf(currentTarget);
    if (day !== undefined && day !== document.document_date) save({ document_date: day });
  };
  const saveNumber = ({ currentTarget }: FocusEvent<HTMLInputElement>): void => {
    const text = valueOf(currentTarget);
    const number = text === null ? null : Number(text);
    if (text !== undefined && number !== document.archive_number) save({ archive_number: number });
  };
  // on its own: a button that is busy because another field is being kept takes no click, not even the one by which that field was left
  const next = useChange('patch /api/documents/{id}', TOUCHED);
  const takeNext = async (): Promise<void> =>
    next.mutate({ params: { id: document.id }, body: await call('get /api/archive-numbers/next', {}) });
  return (
    <DocumentSection title={t('document.filing')}>
      <Stack gap="xs">
        <ProblemNote problem={change.error ?? next.error} />
        {(['correspondent', 'document_type'] as const).map((kind) => (
          <EntryPicker
            key={`${kind} ${document[kind]?.id}`}
            kind={kind}
            label={t(`filing.one.${kind}`)}
            value={document[kind]}
            onChange={(entry) => save({ [`${kind}_id`]: entry?.id ?? null })}
            isReadOnly={!(mayChange && may('labels.read'))}
          />
        ))}
        <TextInput
          key={`date ${document.document_date}`}
          type="date"
          size="sm"
          label={t('document.documentDate')}
          defaultValue={document.document_date ?? ''}
          readOnly={!mayChange}
          onBlur={saveDate}
        />
        <Group gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            key={`number ${document.archive_number}`}
            type="number"
            min={1}
            size="sm"
            label={t('document.archiveNumber')}
            defaultValue={document.archive_number ?? ''}
            readOnly={!mayChange}
            onBlur={saveNumber}
            style={{ flex: 1 }}
          />
          {mayChange && document.archive_number === null && (
            <Button variant="default" size="sm" onClick={() => void takeNext().catch(notifyProblem)} loading={next.isPending}>
              {t('document.nextArchiveNumber')}
            </Button>
          )}
        </Group>
      </Stack>
    </DocumentSection>
  );
};
