import { Button } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ChangeEvent, type ReactNode, useRef } from 'react';
import { useNotifyProblem } from '../../../components/use-notify-problem.ts';
import type { Problem } from '../../../interface/problem.ts';
import { replaceContent } from '../../../interface/replace-content.ts';
import { refresh } from '../../../interface/use-call.ts';
import { useTranslate } from '../../../language/language.tsx';
import { SHOWS_FILE } from './touched.ts';

/** Chooses a file that becomes the newest version of a document. */
export const NewVersionButton = ({ documentId }: { readonly documentId: string }): ReactNode => {
  const t = useTranslate();
  const client = useQueryClient();
  const notifyProblem = useNotifyProblem();
  const input = useRef<HTMLInputElement>(null);
  const replace = useMutation<void, Problem, File>({
    mutationFn: (file) => replaceContent(documentId, file),
    onSuccess: () => refresh(client, SHOWS_FILE),
    onError: notifyProblem,
  });
  const take = (event: ChangeEvent<HTMLInputElement>): void => {
    const [file] = event.currentTarget.files ?? [];
    if (file !== undefined) replace.mutate(file);
    event.currentTarget.value = '';
  };
  return (
    <>
      <input ref={input} type="file" hidden onChange={take} data-testid="new-version" />
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconUpload size={14} />}
        loading={replace.isPending}
        onClick={() => input.current?.click()}
      >
        {t('versions.upload')}
      </Button>
    </>
  );
};
