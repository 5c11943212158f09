import { Alert, Anchor, Button, Group, Progress, SimpleGrid, Stack, Table, Text } from '@mantine/core';
import type { ImportBody, ImportDetailsBody } from '@sheaf/contract/imports';
import { IconDownload, IconListDetails, IconPackageImport } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Ago } from '../../components/ago.tsx';
import { Mark } from '../../components/badges.tsx';
import { RowAction } from '../../components/buttons.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { actionsColumn, type Column, RecordTable } from '../../components/record-table.tsx';
import { EmptyState, ScreenHeader, SectionCard } from '../../components/screen-parts.tsx';
import { SmallNote } from '../../components/small-note.tsx';
import { useNotifyProblem } from '../../components/use-notify-problem.ts';
import { useEvents } from '../../events/events.tsx';
import { useAddressState } from '../../interface/address-state.ts';
import { addressOf, useCall, useChange } from '../../interface/call.ts';
import { usePagedCall } from '../../interface/paged-call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { NewImport } from './new-import.tsx';

const TOUCHED = ['get /api/imports', 'get /api/imports/{id}'] as const;
/** While events may not come. */
const REPORT_REFRESH_MS = 3_000;

const COUNTED = ['labels', 'correspondents', 'document_types', 'fields', 'notes', 'users', 'saved_searches', 'rules'] as const;

const Counts = ({ run: { counts, is_dry_run: isDry } }: { readonly run: ImportDetailsBody }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  if (counts === null) return null;
  const { documents, queued, checksums } = counts;
  const figures = [
    [documents.imported, t(isDry ? 'imports.wouldImport' : 'imports.imported')],
    [documents.skipped, t('imports.skipped')],
    [documents.failed, t('imports.failed')],
    [queued, t('imports.queued')],
    [checksums.wrong, t('imports.wrongChecksums')],
    ...COUNTED.map((name) => [counts[name], t(`imports.${name}`)] as const),
  ] as const;
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="xs">
      {figures.map(([count, word]) => (
        <Text key={word} size="sm">
          <b>{format.number(count)}</b> {word}
        </Text>
      ))}
    </SimpleGrid>
  );
};

const NotImported = ({ run }: { readonly run: ImportDetailsBody }): ReactNode => {
  const t = useTranslate();
  const { counts, not_imported: lines } = run;
  if (counts === null) return null;
  if (lines.length === 0) return <Alert color="teal">{t('imports.everything')}</Alert>;
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text size="sm">
          {t('imports.notImportedCount', { count: counts.not_imported })}
          {lines.length < counts.not_imported && ` ${t('imports.firstLines', { count: lines.length })}`}
        </Text>
        <Anchor href={addressOf('/api/imports/{id}/report', { params: { id: run.id } })} download size="sm">
          <Group gap={4}>
            <IconDownload size={16} aria-hidden />
            {t('imports.download')}
          </Group>
        </Anchor>
      </Group>
      {/* a table of its own: its lines have no id, and it is only read */}
      <Table.ScrollContainer minWidth={500} scrollAreaProps={{ tabIndex: 0, 'aria-label': t('imports.notImported') }}>
        <Table aria-label={t('imports.notImported')}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('imports.what')}</Table.Th>
              <Table.Th>{t('imports.itsName')}</Table.Th>
              <Table.Th>{t('imports.document')}</Table.Th>
              <Table.Th>{t('imports.reason')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {lines.map(({ kind, name, document, reason }, index) => (
              <Table.Tr key={`${index} ${kind} ${name}`} className="stranger">
                <Table.Td>{kind}</Table.Td>
                <Table.Td>{name}</Table.Td>
                <Table.Td>{document}</Table.Td>
                <Table.Td>{reason}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
};

interface Props {
  readonly id: string;
  readonly onStarted: (id: string) => void;
}

const Actions = ({ run, onStarted }: { readonly run: ImportDetailsBody; readonly onStarted: Props['onStarted'] }): ReactNode => {
  const t = useTranslate();
  const notifyProblem = useNotifyProblem();
  const start = useChange('post /api/imports/{id}/start', TOUCHED);
  const cancel = useChange('post /api/imports/{id}/cancel', TOUCHED);
  const params = { id: run.id };
  return (
    <Group>
      {run.can_start && (
        <Button
          leftSection={<IconPackageImport size={16} />}
          loading={start.isPending}
          onClick={() => start.mutate({ params }, { onSuccess: ({ id }) => onStarted(id), onError: notifyProblem })}
        >
          {t(run.is_dry_run ? 'imports.startNow' : 'imports.startAgain')}
        </Button>
      )}
      {isOpen(run) && (
        <Button variant="default" loading={cancel.isPending} onClick={() => cancel.mutate({ params }, { onError: notifyProblem })}>
          {t('imports.cancel')}
        </Button>
      )}
    </Group>
  );
};

/** What became of an import, or how far it is. */
export const ImportReport = ({ id, onStarted }: Props): ReactNode => {
  const t = useTranslate();
  const { data, error, refetch } = useCall('get /api/imports/{id}', { params: { id } }, { refetchIntervalMs: REPORT_REFRESH_MS });
  const kind = data === undefined ? '' : t(`imports.kind.${data.kind}`);
  const place = data?.filename ?? data?.path ?? data?.name ?? '';
  return (
    <SectionCard
      title={data?.is_dry_run === true ? t('imports.reportOfDryRun') : t('imports.report')}
      hint={`${kind} · ${place}`}
      action={data !== undefined && <Actions run={data} onStarted={onStarted} />}
    >
      <ProblemNote problem={error} onRetry={() => void refetch()} />
      {data !== undefined && (
        <>
          <ImportState run={data} />
          <Counts run={data} />
          <NotImported run={data} />
        </>
      )}
    </SectionCard>
  );
};

const STATE_COLORS = { queued: 'gray', running: 'blue', completed: 'teal', failed: 'red', cancelled: 'yellow' } as const;

const isOpen = ({ state }: Pick<ImportBody, 'state'>): boolean => state === 'queued' || state === 'running';

interface Reached {
  readonly done: number;
  readonly total: number | null;
}

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** How far a running import is, by the moment. */
const Running = ({ run }: { readonly run: ImportBody }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const [live, setLive] = useState<Reached>();
  useEvents(({ type, data }) => {
    if (type === 'import_progress' && data['import_id'] === run.id)
      setLive({ done: numberOf(data['done']) ?? 0, total: numberOf(data['total']) });
  });
  const { done, total } = live !== undefined && live.done > run.done ? live : run;
  const share = total === null || total === 0 ? undefined : Math.min(1, done / total);
  const phase = run.phase ?? 'waiting';
  return (
    <Stack gap={4} role="status">
      <Progress value={share === undefined ? 100 : share * 100} animated={share === undefined} aria-label={t('imports.progress')} />
      <SmallNote>
        {t(`imports.phase.${phase}`)}
        {done > 0 &&
          ` · ${total === null ? format.number(done) : t('imports.reached', { done: format.number(done), total: format.number(total) })}`}
      </SmallNote>
    </Stack>
  );
};

/** The state of an import, and how far it is while it runs. */
export const ImportState = ({ run }: { readonly run: ImportBody }): ReactNode => {
  const t = useTranslate();
  return (
    <Stack gap={6} align="stretch">
      <Mark text={t(`imports.state.${run.state}`)} color={STATE_COLORS[run.state]} />
      {isOpen(run) && <Running run={run} />}
      {run.error !== null && run.state === 'failed' && (
        <Text size="xs" c="red" className="stranger">
          {run.error}
        </Text>
      )}
    </Stack>
  );
};

const REFRESH_MS = 5_000;

const useColumns = (onOpen: (id: string) => void): readonly Column<ImportBody>[] => {
  const t = useTranslate();
  const format = useFormat();
  return [
    {
      key: 'kind',
      title: t('imports.kind'),
      width: '30%',
      cell: ({ kind, name, filename, path, is_dry_run: isDry }) => (
        <Stack gap={0}>
          <Text size="sm" fw={500}>
            {t(`imports.kind.${kind}`)}
            {isDry && ` (${t('imports.dryRun')})`}
          </Text>
          <SmallNote className="stranger">{filename ?? path ?? name}</SmallNote>
        </Stack>
      ),
    },
    { key: 'state', title: t('imports.stateTitle'), cell: (run) => <ImportState run={run} /> },
    {
      key: 'documents',
      title: t('imports.documents'),
      isEmpty: ({ counts }) => counts === null,
      cell: ({ counts }) => counts !== null && <Text size="sm">{format.number(counts.documents.imported)}</Text>,
    },
    { key: 'created', title: t('imports.created'), cell: ({ created_at: at }) => <Ago at={at} /> },
    actionsColumn(t('imports.actions'), ({ id, filename, path, name }) => (
      <RowAction
        icon={IconListDetails}
        title={t('imports.report')}
        label={t('imports.reportOf', { name: filename ?? path ?? name })}
        onClick={() => onOpen(id)}
      />
    )),
  ];
};

/** Imports of the archives of other systems: a new one, what became of one, and all there were. */
const Imports = (): ReactNode => {
  const t = useTranslate();
  const [state, change] = useAddressState(['page', 'import']);
  const { import: shown, ...filter } = state;
  const { data, paging } = usePagedCall('get /api/imports', filter, change, { refetchIntervalMs: REFRESH_MS });
  const open = (id: string): void => change({ import: id });
  const columns = useColumns(open);
  const empty = <EmptyState icon={IconPackageImport} title={t('imports.none')} hint={t('imports.noneHint')} />;
  return (
    <>
      <ScreenHeader title={t('imports.title')} hint={t('imports.hint')} />
      <Stack gap="lg">
        {shown !== undefined && <ImportReport key={shown} id={shown} onStarted={open} />}
        <NewImport onStarted={open} />
        <RecordTable caption={t('imports.all')} columns={columns} {...paging} records={data?.data} empty={empty} />
      </Stack>
    </>
  );
};
export default Imports;
