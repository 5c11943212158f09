import { Card, Group, Text, Title } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { LabelChip } from '../../components/label-chip.tsx';
import { type Label, LabelPicker } from '../../components/label-picker.tsx';
import { useAllLabels } from '../../components/use-all-labels.ts';
import { useNotifyProblem } from '../../components/use-notify-problem.ts';
import { useChange } from '../../interface/use-call.ts';
import { useTranslate } from '../../language/language.tsx';
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
