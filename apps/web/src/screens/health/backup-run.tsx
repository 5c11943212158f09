import { Alert, Progress, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Answer } from '../../interface/call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';

export type BackupRun = NonNullable<Answer<'get /api/backups'>['last_backup']>;

const PHASES = ['database', 'files', 'previews', 'finishing', 'checksums'] as const;

export const isOpen = (run: BackupRun | null | undefined): boolean => run?.state === 'queued' || run?.state === 'running';

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
      <Text size="xs" c="dimmed">
        {t(`backups.phase.${phase ?? 'waiting'}`)}
        {run.bytes > 0 && ` · ${format.bytes(run.bytes)}`}
      </Text>
    </Stack>
  );
};

/** How far a run is, or why it failed; nothing where it went well. */
export const BackupRunState = ({ run }: { readonly run: BackupRun | null }): ReactNode => {
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
