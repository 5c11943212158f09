import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { Problem } from '../interface/problem.ts';
import { useFormat, useTranslate } from '../language/language.tsx';
import { Dialog } from './dialog.tsx';
import { ProblemNote } from './problem-note.tsx';

interface ConfirmNumberProps {
  /** What has to be typed. */
  readonly count: number;
  readonly title: string;
  readonly hint: string;
  /** What the button says. */
  readonly submit: string;
  readonly problem?: Problem | null;
  readonly isBusy?: boolean;
  readonly confirm: () => void;
  readonly cancel: () => void;
}

/** Asks for the number of documents before something is done to that many. */
export const ConfirmNumber = ({ count, title, hint, submit, problem, isBusy = false, confirm, cancel }: ConfirmNumberProps): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const [typed, setTyped] = useState('');
  const isRight = typed.replaceAll(/[^\p{Nd}]/gu, '') === String(count);
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (isRight) confirm();
  };
  return (
    <Dialog opened onClose={cancel} title={title}>
      <form onSubmit={send}>
        <Stack gap="md">
          <ProblemNote problem={problem} />
          <Text size="sm">{hint}</Text>
          <TextInput
            label={t('documents.removalNumber', { number: format.number(count) })}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            inputMode="numeric"
            autoComplete="off"
            data-autofocus
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={cancel}>
              {t('documents.cancel')}
            </Button>
            <Button type="submit" color="red" disabled={!isRight} loading={isBusy}>
              {submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
};

interface ConfirmDialogProps {
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
export const ConfirmDialog = ({ title, hint, change, submit, onConfirm, onClose }: ConfirmDialogProps): ReactNode => {
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
