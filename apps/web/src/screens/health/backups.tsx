import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { IconDatabaseExport, IconShieldCheck } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Ago } from '../../components/ago.tsx';
import { Mark } from '../../components/badges.tsx';
import { actionsColumn, type Column, RecordTable } from '../../components/record-table.tsx';
import { EmptyState, SectionCard } from '../../components/screen-parts.tsx';
import { SmallNote } from '../../components/small-note.tsx';
import { useNotifyProblem } from '../../components/use-notify-problem.ts';
import { type Answer, useCall, useChange } from '../../interface/call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { useSession } from '../../session/session.tsx';

type Backups = Answer<'get /api/backups'>;
type Backup = Backups['data'][number];

const REFRESH_MS = 10_000;
/** While somebody watches a bar. */
const RUNNING_REFRESH_MS = 1_000;
const PER_PAGE = 10;
const COLORS: Readonly<Record<Backup['state'], string>> = { complete: 'teal', running: 'blue', failed: 'yellow', damaged: 'red' };

const isBusy = (data: Backups | undefined): boolean =>
  data !== undefined && (data.is_running || isOpen(data.last_backup) || isOpen(data.last_verification));

const State = ({ backup: { state, missing_files: missing, error } }: { readonly backup: Backup }): ReactNode => {
  const t = useTranslate();
  return (
    <Stack gap={4} align="flex-start">
      <Mark text={t(`backups.${state}`)} color={COLORS[state]} />
      {missing > 0 && (
        <Text size="xs" c="red">
          {t('backups.missingFiles', { count: missing })}
        </Text>
      )}
      {error !== null && (
        <Text size="xs" className="stranger" lineClamp={4}>
          {error}
        </Text>
      )}
    </Stack>
  );
};

const Verification = ({ backup: { verification, verified_at: at } }: { readonly backup: Backup }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  if (verification === null || at === null)
    return (
      <Text size="sm" c="dimmed">
        {t('backups.notVerified')}
      </Text>
    );
  return (
    <Text size="sm" c={verification === 'ok' ? undefined : 'red'} title={format.dateTime(at)}>
      {t(verification === 'ok' ? 'backups.ok' : 'backups.damaged')} · {format.ago(at)}
    </Text>
  );
};

const VerifyButton = ({ backup: { name, state }, data }: { readonly backup: Backup; readonly data: Backups | undefined }): ReactNode => {
  const t = useTranslate();
  const { may } = useSession();
  const notifyProblem = useNotifyProblem();
  const verify = useChange('post /api/backups/{name}/verify', ['get /api/backups']);
  if (state === 'running' || state === 'failed' || !may('settings.update')) return null;
  return (
    <Button
      size="compact-sm"
      variant="default"
      leftSection={<IconShieldCheck size={14} />}
      aria-label={`${t('backups.verify')}: ${name}`}
      loading={verify.isPending}
      disabled={isOpen(data?.last_verification)}
      onClick={() => verify.mutate({ params: { name } }, { onError: notifyProblem })}
    >
      {t('backups.verify')}
    </Button>
  );
};

const useColumns = (data: Backups | undefined): readonly Column<Backup>[] => {
  const t = useTranslate();
  const format = useFormat();
  return [
    {
      key: 'created',
      title: t('backups.created'),
      cell: ({ name, created_at: at }) => (
        <Stack gap={0}>
          <Ago at={at} weight={500} />
          <SmallNote className="stranger">{name}</SmallNote>
        </Stack>
      ),
    },
    { key: 'state', title: t('backups.state'), cell: (backup) => <State backup={backup} /> },
    {
      key: 'size',
      title: t('backups.size'),
      align: 'right',
      isWhole: true,
      isEmpty: ({ size }) => size === null,
      cell: ({ size }) => (size === null ? null : <Text size="sm">{format.bytes(size)}</Text>),
    },
    {
      key: 'documents',
      title: t('backups.documents'),
      align: 'right',
      isWhole: true,
      isEmpty: ({ documents }) => documents === null,
      cell: ({ documents }) => (documents === null ? null : <Text size="sm">{format.number(documents)}</Text>),
    },
    { key: 'verification', title: t('backups.verification'), cell: (backup) => <Verification backup={backup} /> },
    actionsColumn(t('backups.actions'), (backup) => <VerifyButton backup={backup} data={data} />),
  ];
};

const Notes = ({ data }: { readonly data: Backups }): ReactNode => {
  const t = useTranslate();
  const { path, path_problem: problem, is_running: isRunning, last_backup: backup, last_verification: verification } = data;
  return (
    <>
      {problem !== null && <Alert color="red">{t('errors.BACKUP_PATH_UNUSABLE', { path, problem })}</Alert>}
      <BackupRunState run={backup} />
      <BackupRunState run={verification} />
      {isRunning && !isOpen(backup) && (
        <Text size="sm" role="status">
          {t('backups.elsewhere')}
        </Text>
      )}
    </>
  );
};

const CreateButton = ({ data }: { readonly data: Backups | undefined }): ReactNode => {
  const t = useTranslate();
  const { may } = useSession();
  const notifyProblem = useNotifyProblem();
  const create = useChange('post /api/backups', ['get /api/backups']);
  if (!may('settings.update')) return null;
  return (
    <Button
      leftSection={<IconDatabaseExport size={16} />}
      loading={create.isPending}
      disabled={data === undefined || data.is_running}
      onClick={() => create.mutate({}, { onError: notifyProblem })}
    >
      {t('backups.create')}
    </Button>
  );
};

/** The backups there are, the state of the last one, and buttons to make and verify one. */
export const Backups = (): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const [page, setPage] = useState(1);
  const [isWatched, setIsWatched] = useState(false);
  const list = useCall(
    'get /api/backups',
    { query: { page, per_page: PER_PAGE } },
    { keepPrevious: true, refetchIntervalMs: isWatched ? RUNNING_REFRESH_MS : REFRESH_MS },
  );
  const { data } = list;
  if (isBusy(data) !== isWatched) setIsWatched(isBusy(data));
  const columns = useColumns(data);
  const last = data?.data.find(({ state }) => state === 'complete');
  return (
    <SectionCard
      title={t('backups.title')}
      hint={data === undefined ? undefined : t('backups.hint', { path: data.path })}
      action={<CreateButton data={data} />}
    >
      {data !== undefined && <Notes data={data} />}
      {last !== undefined && page === 1 && (
        <Group gap="xs">
          <Text size="sm">{t('backups.last', { when: format.ago(last.created_at) })}</Text>
        </Group>
      )}
      <RecordTable
        caption={t('backups.title')}
        columns={columns}
        records={data?.data}
        idOf={({ name }) => name}
        problem={list.error}
        onRetry={() => void list.refetch()}
        pagination={data?.pagination}
        onPage={setPage}
        empty={<EmptyState icon={IconDatabaseExport} title={t('backups.none')} hint={t('backups.noneHint')} />}
      />
    </SectionCard>
  );
};

type BackupRun = NonNullable<Answer<'get /api/backups'>['last_backup']>;

const PHASES = ['database', 'files', 'previews', 'finishing', 'checksums'] as const;

const isOpen = (run: BackupRun | null | undefined): boolean => run?.state === 'queued' || run?.state === 'running';

const Running = ({ run }: { readonly run: BackupRun }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const title = t(run.kind === 'backup' ? 'backups.runningBackup' : 'backups.runningVerification');
  const phase = PHASES.find((known) => known === run.phase);
  return (
    <Stack gap={4} role="status">
      <Text size="sm" fw={500}>
        {title}
      </Text>
      <Progress
        value={run.progress === null ? 100 : run.progress * 100}
        animated={run.progress === null}
        aria-label={`${t('backups.progress')}: ${title}`}
      />
      <SmallNote>
        {t(`backups.phase.${phase ?? 'waiting'}`)}
        {run.bytes > 0 && ` · ${format.bytes(run.bytes)}`}
      </SmallNote>
    </Stack>
  );
};

/** How far a run is, or why it failed; nothing where it went well. */
const BackupRunState = ({ run }: { readonly run: BackupRun | null }): ReactNode => {
  const t = useTranslate();
  if (run === null) return null;
  if (isOpen(run)) return <Running run={run} />;
  if (run.state !== 'failed') return null;
  return (
    <Alert color="red" title={t(run.kind === 'backup' ? 'backups.failedBackup' : 'backups.failedVerification')}>
      <Text size="sm" className="stranger">
        {run.problem === 'failed' && run.error !== null ? run.error : t(`backups.problem.${run.problem ?? 'failed'}`)}
      </Text>
    </Alert>
  );
};
