import { Alert, Button, FileInput, Group, List, Progress, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { ProblemNote, useProblemMessages } from '../../components/problem-note.tsx';
import { SmallNote } from '../../components/small-note.tsx';
import { type Answer, refresh, useCall, useChange } from '../../interface/call.ts';
import { Problem } from '../../interface/problem.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { InvitationLinks, invitationLink } from './user-form.tsx';

/** What each of them would have been answered with by itself. */
const REFUSED = 400;

/** How often the progress of an import is asked for. */
const REFRESH_MS = 1_000;

type UserImport = Answer<'get /api/users/imports/{id}'>;

/** How far an import is. */
const Running = ({ run: { done, total } }: { readonly run: UserImport }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  return (
    <Stack gap={4} role="status">
      <Progress value={(done / Math.max(1, total)) * 100} aria-label={t('users.importProgress')} />
      <SmallNote>{t('users.importReached', { done: format.number(done), total: format.number(total) })}</SmallNote>
    </Stack>
  );
};

/** What an import did, or did so far. */
const Result = ({ run }: { readonly run: UserImport }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const { ofProblem } = useProblemMessages();
  return (
    <>
      {run.finished_at === null ? (
        <Running run={run} />
      ) : (
        <Alert color={run.state === 'failed' ? 'red' : 'teal'} role="status" className="stranger">
          {t('users.imported', { count: run.imported })} {run.error}
        </Alert>
      )}
      {run.errors.length > 0 && (
        <Alert color="yellow" title={t('users.skipped', { count: run.skipped })}>
          <List size="sm">
            {run.errors.map(({ index, username, error: message, code, details }) => (
              <List.Item key={index} className="stranger">
                {username === null || username === '' ? t('users.entry', { number: format.number(index + 1) }) : username}:{' '}
                {ofProblem(new Problem({ status: REFUSED, code, message, details }))}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
    </>
  );
};

/** The links of those without a password: of the answer to the import, or created where it took longer. */
const Invitations = ({
  run,
  given,
}: {
  readonly run: UserImport;
  readonly given: Answer<'post /api/users/import'>['invitations'];
}): ReactNode => {
  const t = useTranslate();
  const create = useChange('post /api/users/imports/{id}/invitations');
  const links = (create.data?.invitations ?? given).map(({ username, token }) => `${username}: ${invitationLink(token)}`);
  if (links.length > 0) return <InvitationLinks links={links} />;
  if (run.finished_at === null || run.imported === 0 || create.data !== undefined) return null;
  return (
    <>
      <ProblemNote problem={create.error} />
      <Button variant="default" loading={create.isPending} onClick={() => create.mutate({ params: { id: run.id } })}>
        {t('users.importInvite')}
      </Button>
    </>
  );
};

/** Takes many users from a file, and gives the invitations of those without a password. */
export const ImportUsers = ({ onClose }: { readonly onClose: () => void }): ReactNode => {
  const t = useTranslate();
  const client = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const [isNoJson, setNoJson] = useState(false);
  const bring = useChange('post /api/users/import', ['get /api/users', 'get /api/roles']);

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (file === null) return;
    let body: unknown;
    try {
      body = JSON.parse(await file.text());
    } catch {
      setNoJson(true);
      return;
    }
    setNoJson(false);
    bring.mutate({ body: body as never });
  };
  const { data } = bring;
  const [isOver, setOver] = useState(false);
  const isWaiting = data !== undefined && data.finished_at === null && !isOver;
  const { data: followed } = useCall(
    'get /api/users/imports/{id}',
    { params: { id: data?.id ?? '' } },
    { enabled: isWaiting, refetchIntervalMs: isWaiting ? REFRESH_MS : false },
  );
  const run = data !== undefined && data.finished_at === null ? (followed ?? data) : data;
  const hasEnded = followed !== undefined && followed.finished_at !== null;
  useEffect(() => {
    if (!hasEnded) return;
    setOver(true);
    void refresh(client, ['get /api/users', 'get /api/roles']);
  }, [hasEnded, client]);

  return (
    <Dialog opened onClose={onClose} title={t('users.importTitle')} size="lg" closeOnClickOutside={data === undefined}>
      <form onSubmit={(event) => void submit(event)}>
        <Stack gap="md">
          {data === undefined && (
            <>
              <Text size="sm">{t('users.importHint')}</Text>
              <ProblemNote problem={bring.error} />
              <FileInput
                label={t('users.importFile')}
                placeholder={t('users.chooseFile')}
                accept="application/json,.json"
                value={file}
                onChange={setFile}
                error={isNoJson ? t('users.notJson') : undefined}
                clearable
                clearButtonProps={{ 'aria-label': t('filing.clear', { field: t('users.importFile') }) }}
                data-autofocus
              />
            </>
          )}
          {data !== undefined && run !== undefined && (
            <>
              <Result run={run} />
              <Invitations run={run} given={data.invitations} />
            </>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {data === undefined ? t('users.cancel') : t('users.close')}
            </Button>
            {data === undefined && (
              <Button type="submit" loading={bring.isPending} disabled={file === null}>
                {t('users.importGo')}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
};
