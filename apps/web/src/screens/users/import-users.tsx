import { Alert, Button, Code, CopyButton, FileInput, Group, List, Stack, Text } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Problem } from '../../interface/problem.ts';
import { useChange } from '../../interface/use-call.ts';
import { useFormat, useTexts } from '../../language/language.tsx';
import { useProblemWords } from '../../said/use-problem-words.ts';
import { userTexts } from './texts.ts';

/** What each of them would have been answered with by itself. */
const REFUSED = 400;

/** Takes many users from a file, and gives the invitations of those without a password. */
export const ImportUsers = ({ onClose }: { readonly onClose: () => void }): ReactNode => {
  const t = useTexts(userTexts);
  const format = useFormat();
  const { ofProblem } = useProblemWords();
  const [file, setFile] = useState<File | null>(null);
  const [isNoJson, setNoJson] = useState(false);
  const bring = useChange('post /api/users/import', ['get /api/users']);

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
  const links =
    data?.invitations.map(({ username, token }) => `${username}: ${location.origin}/invitation?token=${encodeURIComponent(token)}`) ?? [];

  return (
    <Dialog opened onClose={onClose} title={t.importTitle} size="lg" closeOnClickOutside={data === undefined}>
      <form onSubmit={(event) => void submit(event)}>
        <Stack gap="md">
          {data === undefined && (
            <>
              <Text size="sm">{t.importHint}</Text>
              <ProblemNote problem={bring.error} />
              <FileInput
                label={t.importFile}
                placeholder={t.chooseFile}
                accept="application/json,.json"
                value={file}
                onChange={setFile}
                error={isNoJson ? t.notJson : undefined}
                clearable
                data-autofocus
              />
            </>
          )}
          {data !== undefined && (
            <>
              <Alert color="teal" role="status">
                {t.imported(data.imported)}
              </Alert>
              {data.errors.length > 0 && (
                <Alert color="yellow" title={t.skipped(data.skipped)}>
                  <List size="sm">
                    {data.errors.map(({ index, username, error: message, code, details }) => (
                      <List.Item key={index} className="stranger">
                        {username ?? t.entry(format.number(index + 1))}:{' '}
                        {ofProblem(new Problem({ status: REFUSED, code, message, details }))}
                      </List.Item>
                    ))}
                  </List>
                </Alert>
              )}
              {links.length > 0 && (
                <Stack gap="xs">
                  <Text size="sm">{t.invitations}</Text>
                  <Code block className="stranger">
                    {links.join('\n')}
                  </Code>
                  <CopyButton value={links.join('\n')}>
                    {({ copied, copy }) => (
                      <Button variant="default" onClick={copy} style={{ alignSelf: 'flex-start' }}>
                        {copied ? t.copied : t.copy}
                      </Button>
                    )}
                  </CopyButton>
                </Stack>
              )}
            </>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {data === undefined ? t.cancel : t.close}
            </Button>
            {data === undefined && (
              <Button type="submit" loading={bring.isPending} disabled={file === null}>
                {t.importGo}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
};
