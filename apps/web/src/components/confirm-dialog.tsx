import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Problem } from '../interface/problem.ts';
import { useTranslate } from '../language/language.tsx';
import { Dialog } from './dialog.tsx';
import { ProblemNote } from './problem-note.tsx';

interface Props {
  readonly title: string;
  readonly hint: string;
  /** What is done, where that can fail. */
  readonly change?: { readonly error: Problem | null; readonly isPending: boolean };
  /** What the button that does it says. */
  readonly submit: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks once more before something is done that cannot be undone. */
export const ConfirmDialog = ({ title, hint, change, submit, onConfirm, onClose }: Props): ReactNode => {
  const t = useTranslate();
  return (
    <Dialog opened onClose={onClose} title={title}>
      <Stack gap="md">
        <ProblemNote problem={change?.error} />
        <Text size="sm">{hint}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t('common.cancel')}
          </Button>
          <Button color="red" loading={change?.isPending ?? false} onClick={onConfirm}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
};
