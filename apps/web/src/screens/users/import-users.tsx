import { Alert, Button, FileInput, Group, List, Stack, Text } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Problem } from '../../interface/problem.ts';
import { useChange } from '../../interface/use-call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { useProblemMessages } from '../../messages/use-problem-messages.ts';
import { InvitationLinks, invitationLink } from './invitation-links.tsx';

/** What each of them would have been answered with by itself. */
const REFUSED = 400;

/** Takes many users from a file, and gives the invitations of those without a password. */
export const ImportUsers = ({ onClose }: { readonly onClose: () => void }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const { ofProblem } = useProblemMessages();
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
  const links = data?.invitations.map(({ username, token }) => `${username}: ${invitationLink(token)}`) ?? [];

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
                data-autofocus
              />
            </>
          )}
          {data !== undefined && (
            <>
              <Alert color="teal" role="status">
                {t('users.imported', { count: data.imported })}
              </Alert>
              {data.errors.length > 0 && (
                <Alert color="yellow" title={t('users.skipped', { count: data.skipped })}>
                  <List size="sm">
                    {data.errors.map(({ index, username, error: message, code, details }) => (
                      <List.Item key={index} className="stranger">
                        {username ?? t('users.entry', { number: format.number(index + 1) })}:{' '}
                        {ofProblem(new Problem({ status: REFUSED, code, message, details }))}
                      </List.Item>
                    ))}
                  </List>
                </Alert>
              )}
              {links.length > 0 && <InvitationLinks links={links} />}
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
