import { ActionIcon, Alert, Anchor, Button, Group, Progress, Select, Stack, Text } from '@mantine/core';
import { IconListCheck, IconPlayerPause, IconPlayerPlay, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ChoiceFilter } from '../../components/choice-filter.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { pagingOf } from '../../components/paging.ts';
import { type Column, RecordTable } from '../../components/record-table.tsx';
import { ScreenHeader } from '../../components/screen-header.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { useTellProblem } from '../../components/tell-problem.ts';
import { useUndoable } from '../../components/undo.tsx';
import { pageOf, useAddressState } from '../../interface/address-state.ts';
import { type Answer, type Arguments, call } from '../../interface/call.ts';
import { useRowsPerPage } from '../../interface/rows-per-page.ts';
import { useCall, useChange } from '../../interface/use-call.ts';
import { useFormat, useTexts } from '../../language/language.tsx';
import { failureWords } from '../../said/failure-words.ts';
import { Said } from '../../said/said.tsx';
import { useSession } from '../../session/session.tsx';
import { QueueCounts } from './queue-counts.tsx';
import { queueTexts } from './texts.ts';

type Item = Answer<'get /api/ocr/queue'>['data'][number];
type Query = NonNullable<Arguments<'get /api/ocr/queue'>['query']>;

const PRIORITIES = ['low', 'normal', 'high', 'urgent'] as const satisfies readonly Item['priority'][];
const STATES = ['pending', 'processing', 'failed', 'completed'] as const satisfies readonly Item['status'][];
const isUnderWay = ({ status }: Item): boolean => status === 'pending' || status === 'processing';

const ItemProgress = ({ item }: { readonly item: Item }): ReactNode => {
  const t = useTexts(queueTexts);
  const format = useFormat();
  const { status, pages_done: done, pages_total: total, error, attempts, max_attempts: most } = item;
  if (error !== null && status !== 'processing')
    return (
      <Text size="xs" component="div" className="stranger">
        <Said words={failureWords} code={error.code} message={error.message} />
        {status === 'pending' ? ` ${t.again(format.number(attempts + 1), format.number(most))}` : ''}
      </Text>
    );
  if (status !== 'processing' || total === null) return null;
  return (
    <Stack gap={4}>
      <Progress value={total === 0 ? 0 : (done / total) * 100} size="sm" aria-label={t.pages(format.number(done), format.number(total))} />
      <Text size="xs" c="dimmed">
        {t.pages(format.number(done), format.number(total))}
      </Text>
    </Stack>
  );
};

const useColumns = (): readonly Column<Item>[] => {
  const t = useTexts(queueTexts);
  const format = useFormat();
  const tell = useTellProblem();
  const undoable = useUndoable();
  const { may } = useSession();
  const mayChange = may('ocr.update');
  const setPriority = useChange('put /api/ocr/queue/{id}/priority', ['get /api/ocr/queue']);
  return [
    {
      key: 'document',
      title: t.document,
      cell: ({ filename, document_id: id }) => (
        <Anchor component={Link} href={`/documents/${id}`} size="sm" fw={500} className="stranger">
          {filename}
        </Anchor>
      ),
    },
    { key: 'state', title: t.state, cell: ({ status }) => <StatusBadge status={status} /> },
    { key: 'progress', title: t.progress, width: 220, cell: (item) => <ItemProgress item={item} /> },
    {
      key: 'turn',
      title: t.forecastColumn,
      isWhole: true,
      cell: ({ position, estimated_start: start, completed_at: ended }) => (
        <Text size="sm">
          {position === null
            ? ended === null
              ? ''
              : format.ago(ended)
            : `${t.position(format.number(position))}${start === null ? '' : `, ${format.ago(start)}`}`}
        </Text>
      ),
    },
    {
      key: 'priority',
      title: t.priority,
      cell: (item) =>
        mayChange && isUnderWay(item) ? (
          <Select
            size="xs"
            w={120}
            aria-label={t.priorityOf(item.filename)}
            data={PRIORITIES.map((value) => ({ value, label: t[value] }))}
            value={item.priority}
            allowDeselect={false}
            onChange={(priority) =>
              setPriority.mutate({ params: { id: item.id }, body: { priority: priority as Item['priority'] } }, { onError: tell })
            }
          />
        ) : (
          <Text size="sm">{t[item.priority]}</Text>
        ),
    },
    {
      key: 'actions',
      title: t.actions,
      hasHiddenTitle: true,
      align: 'right',
      cell: (item) =>
        mayChange && isUnderWay(item) ? (
          <ActionIcon
            variant="subtle"
            color="red"
            aria-label={`${t.cancel}: ${item.filename}`}
            title={t.cancel}
            onClick={() =>
              undoable({
                message: t.cancelled(item.filename),
                commit: () => call('delete /api/ocr/queue/{id}', { params: { id: item.id } }),
                restore: () => undefined,
              })
            }
          >
            <IconX size={16} />
          </ActionIcon>
        ) : null,
    },
  ];
};

const PauseButton = ({ isPaused }: { readonly isPaused: boolean }): ReactNode => {
  const t = useTexts(queueTexts);
  const tell = useTellProblem();
  const pause = useChange('post /api/ocr/queue/pause', ['get /api/ocr/queue']);
  const resume = useChange('post /api/ocr/queue/resume', ['get /api/ocr/queue']);
  return isPaused ? (
    <Button leftSection={<IconPlayerPlay size={16} />} loading={resume.isPending} onClick={() => resume.mutate({}, { onError: tell })}>
      {t.resume}
    </Button>
  ) : (
    <Button
      variant="default"
      leftSection={<IconPlayerPause size={16} />}
      loading={pause.isPending}
      onClick={() => pause.mutate({}, { onError: tell })}
    >
      {t.pause}
    </Button>
  );
};

/** What is read and what waits. */
const Queue = (): ReactNode => {
  const t = useTexts(queueTexts);
  const { may } = useSession();
  const [state, change] = useAddressState(['status', 'page']);
  const { perPage, isSettled } = useRowsPerPage();
  const query = { ...state, page: pageOf(state), per_page: perPage } as Query;
  const list = useCall('get /api/ocr/queue', { query }, { enabled: isSettled, keepPrevious: true });
  const { data } = list;
  const columns = useColumns();
  return (
    <>
      <ScreenHeader title={t.title} hint={t.hint}>
        {data !== undefined && may('settings.update') && <PauseButton isPaused={data.paused} />}
      </ScreenHeader>
      {data?.paused === true && (
        <Alert color="yellow" mb="md" icon={<IconPlayerPause />}>
          {t.paused}
        </Alert>
      )}
      <QueueCounts />
      <Group mb="md">
        <ChoiceFilter
          name={t.filter}
          any={t.everything}
          choices={STATES}
          words={t}
          value={state.status}
          onChange={(status) => change({ status })}
        />
      </Group>
      <RecordTable
        caption={t.title}
        columns={columns}
        records={data?.data}
        idOf={({ id }) => id}
        {...pagingOf(list, change)}
        empty={<EmptyState icon={IconListCheck} title={t.none} hint={t.noneHint} />}
      />
    </>
  );
};
export default Queue;
