import { Badge, Group, Loader, Progress, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { SmallNote } from '../../components/small-note.tsx';
import { useEvents } from '../../events/events.tsx';
import { useCall } from '../../interface/call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { CodeMessage } from '../../messages/code-message.tsx';
import type { Source } from './source-draft.ts';

interface Reached {
  readonly processed: number;
  readonly total: number;
  readonly currentFile: string | null;
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** How far the run over a source has come, by the moment; and how the last one ended. */
export const SyncRun = ({ sourceId }: { readonly sourceId: string }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const { data } = useCall('get /api/sources/{id}/sync-status', { params: { id: sourceId } });
  const [live, setLive] = useState<Reached>();
  useEvents(({ type, data: event }) => {
    if (type !== 'sync_progress' || event['source_id'] !== sourceId) return;
    const file = event['current_file'];
    setLive({
      processed: numberOf(event['processed']),
      total: numberOf(event['total']),
      currentFile: typeof file === 'string' ? file : null,
    });
  });
  if (data === undefined) return null;
  if (data.state === 'running') {
    const { processed, total, currentFile } = live ?? { processed: data.processed, total: data.total, currentFile: data.current_file };
    return (
      <Stack gap={4} role="status">
        <Progress value={total === 0 ? 100 : (processed / total) * 100} animated={total === 0} aria-label={t('sourceScreen.syncing')} />
        <SmallNote className="stranger" lineClamp={1}>
          {t('sourceScreen.progress', { done: format.number(processed), total: format.number(total) })}
          {currentFile === null ? '' : ` · ${currentFile}`}
        </SmallNote>
      </Stack>
    );
  }
  if (data.job_id === null)
    return (
      <Text size="sm" c="dimmed">
        {t('sourceScreen.noRun')}
      </Text>
    );
  const counts = [
    [data.added, t('sourceScreen.added')],
    [data.updated, t('sourceScreen.updated')],
    [data.moved, t('sourceScreen.moved')],
    [data.removed, t('sourceScreen.gone')],
    [data.skipped, t('sourceScreen.skipped')],
    [data.failed, t('sourceScreen.failed')],
  ] as const;
  return (
    <Stack gap={6}>
      <Group gap="md">
        {counts.map(([count, word]) => (
          <Text key={word} size="sm">
            <b>{format.number(count)}</b> {word}
          </Text>
        ))}
      </Group>
      {data.error !== null && (
        <Text size="sm" c="red" className="stranger">
          <CodeMessage namespace="sources" code={data.error_code} message={data.error} />
        </Text>
      )}
    </Stack>
  );
};

const COLORS: Readonly<Record<Source['status'], string>> = { active: 'teal', syncing: 'blue', error: 'red', disabled: 'gray' };

/** How a source is. */
export const SourceStatus = ({ status }: { readonly status: Source['status'] }): ReactNode => {
  const t = useTranslate();
  return (
    <Badge
      variant="light"
      tt="none"
      color={COLORS[status]}
      leftSection={status === 'syncing' ? <Loader size={10} color="blue" aria-hidden /> : undefined}
    >
      {t(`sourceScreen.${status}`)}
    </Badge>
  );
};
