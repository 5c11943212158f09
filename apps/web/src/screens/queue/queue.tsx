import { ActionIcon, Alert, Anchor, Button, Group, Progress, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconListCheck, IconPlayerPause, IconPlayerPlay, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { StatusBadge } from '../../components/badges.tsx';
import { Figure } from '../../components/figure.tsx';
import { ChoiceFilter } from '../../components/list-filters.tsx';
import { actionsColumn, type Column, RecordTable } from '../../components/record-table.tsx';
import { EmptyState, ScreenHeader } from '../../components/screen-parts.tsx';
import { SmallNote } from '../../components/small-note.tsx';
import { useUndoable } from '../../components/undo.tsx';
import { useNotifyProblem } from '../../components/use-notify-problem.ts';
import { useAddressState } from '../../interface/address-state.ts';
import { type Answer, call, useCall, useChange } from '../../interface/call.ts';
import { usePagedCall } from '../../interface/paged-call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { CodeMessage } from '../../messages/code-message.tsx';
import { useSession } from '../../session/session.tsx';

type Item = Answer<'get /api/ocr/queue'>['data'][number];

const PRIORITIES = ['low', 'normal', 'high', 'urgent'] as const satisfies readonly Item['priority'][];
const STATES = ['pending', 'processing', 'failed', 'completed'] as const satisfies readonly Item['status'][];
const isUnderWay = ({ status }: Item): boolean => status === 'pending' || status === 'processing';

const ItemProgress = ({ item }: { readonly item: Item }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const { status, pages_done: done, pages_total: total, error, attempts, max_attempts: most } = item;
  if (error !== null && status !== 'processing')
    return (
      <Text size="xs" component="div" className="stranger">
        <CodeMessage namespace="failures" code={error.code} message={error.message} />
        {status === 'pending' ? ` ${t('queue.again', { attempt: format.number(attempts + 1), most: format.number(most) })}` : ''}
      </Text>
    );
  if (status !== 'processing' || total === null) return null;
  return (
    <Stack gap={4}>
      <Progress
        value={total === 0 ? 0 : (done / total) * 100}
        size="sm"
        aria-label={t('queue.pages', { done: format.number(done), total: format.number(total) })}
      />
      <SmallNote>{t('queue.pages', { done: format.number(done), total: format.number(total) })}</SmallNote>
    </Stack>
  );
};

const useColumns = (): readonly Column<Item>[] => {
  const t = useTranslate();
  const format = useFormat();
  const notifyProblem = useNotifyProblem();
  const undoable = useUndoable();
  const { may } = useSession();
  const mayChange = may('ocr.update');
  const setPriority = useChange('put /api/ocr/queue/{id}/priority', ['get /api/ocr/queue']);
  return [
    {
      key: 'document',
      title: t('queue.document'),
      cell: ({ filename, document_id: id }) => (
        <Anchor component={Link} href={`/documents/${id}`} size="sm" fw={500} className="stranger">
          {filename}
        </Anchor>
      ),
    },
    { key: 'state', title: t('queue.state'), cell: ({ status }) => <StatusBadge status={status} /> },
    { key: 'progress', title: t('queue.progress'), width: 220, cell: (item) => <ItemProgress item={item} /> },
    {
      key: 'turn',
      title: t('queue.forecastColumn'),
      isWhole: true,
      cell: ({ position, estimated_start: start, completed_at: ended }) => (
        <Text size="sm">
          {position === null
            ? ended === null
              ? ''
              : format.ago(ended)
            : `${t('queue.position', { position: format.number(position) })}${start === null ? '' : `, ${format.ago(start)}`}`}
        </Text>
      ),
    },
    {
      key: 'priority',
      title: t('queue.priority'),
      cell: (item) =>
        mayChange && isUnderWay(item) ? (
          <Select
            size="xs"
            w={120}
            aria-label={t('queue.priorityOf', { name: item.filename })}
            data={PRIORITIES.map((value) => ({ value, label: t(`queue.${value}`) }))}
            value={item.priority}
            allowDeselect={false}
            onChange={(priority) =>
              setPriority.mutate({ params: { id: item.id }, body: { priority: priority as Item['priority'] } }, { onError: notifyProblem })
            }
          />
        ) : (
          <Text size="sm">{t(`queue.${item.priority}`)}</Text>
        ),
    },
    actionsColumn(t('queue.actions'), (item) =>
      mayChange && isUnderWay(item) ? (
        <ActionIcon
          variant="subtle"
          color="red"
          aria-label={`${t('queue.cancel')}: ${item.filename}`}
          title={t('queue.cancel')}
          onClick={() =>
            undoable({
              message: t('queue.cancelled', { name: item.filename }),
              commit: () => call('delete /api/ocr/queue/{id}', { params: { id: item.id } }),
              restore: () => undefined,
            })
          }
        >
          <IconX size={16} />
        </ActionIcon>
      ) : null,
    ),
  ];
};

const PauseButton = ({ isPaused }: { readonly isPaused: boolean }): ReactNode => {
  const t = useTranslate();
  const notifyProblem = useNotifyProblem();
  const pause = useChange('post /api/ocr/queue/pause', ['get /api/ocr/queue']);
  const resume = useChange('post /api/ocr/queue/resume', ['get /api/ocr/queue']);
  return isPaused ? (
    <Button
      leftSection={<IconPlayerPlay size={16} />}
      loading={resume.isPending}
      onClick={() => resume.mutate({}, { onError: notifyProblem })}
    >
      {t('queue.resume')}
    </Button>
  ) : (
    <Button
      variant="default"
      leftSection={<IconPlayerPause size={16} />}
      loading={pause.isPending}
      onClick={() => pause.mutate({}, { onError: notifyProblem })}
    >
      {t('queue.pause')}
    </Button>
  );
};

/** What is read and what waits. */
const Queue = (): ReactNode => {
  const t = useTranslate();
  const { may } = useSession();
  const [state, change, bind] = useAddressState(['status', 'page']);
  const { data, paging } = usePagedCall('get /api/ocr/queue', state, change);
  const columns = useColumns();
  const empty = <EmptyState icon={IconListCheck} title={t('queue.none')} hint={t('queue.noneHint')} />;
  return (
    <>
      <ScreenHeader title={t('queue.title')} hint={t('queue.hint')}>
        {data !== undefined && may('settings.update') && <PauseButton isPaused={data.paused} />}
      </ScreenHeader>
      {data?.paused === true && (
        <Alert color="yellow" mb="md" icon={<IconPlayerPause />}>
          {t('queue.paused')}
        </Alert>
      )}
      <QueueCounts />
      <Group mb="md">
        <ChoiceFilter
          name={t('queue.filter')}
          any={t('queue.everything')}
          choices={STATES.map((value) => ({ value, label: t(`queue.${value}`) }))}
          {...bind('status')}
        />
      </Group>
      <RecordTable caption={t('queue.title')} columns={columns} {...paging} empty={empty} />
    </>
  );
};
export default Queue;

/** The queue in numbers. */
const QueueCounts = (): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const { data } = useCall('get /api/ocr/queue/status', {}, { refetchIntervalMs: 10_000 });
  const shown = (count: number | undefined): string => (count === undefined ? '–' : format.number(count));
  const end = data?.estimated_completion;
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="sm" mb="md" role="status">
      <Figure title={t('queue.pending')} value={shown(data?.pending)} />
      <Figure title={t('queue.processing')} value={shown(data?.processing)} />
      <Figure title={t('queue.completedToday')} value={shown(data?.completed_today)} />
      <Figure title={t('queue.failed')} value={shown(data?.failed)} />
      <Figure
        title={t('queue.forecast')}
        value={data === undefined ? '–' : end === null || end === undefined ? t('queue.now') : format.ago(end)}
        {...(data === undefined || data.average_processing_time === 0
          ? {}
          : { hint: t('queue.average', { duration: format.duration(data.average_processing_time) }) })}
      />
    </SimpleGrid>
  );
};
