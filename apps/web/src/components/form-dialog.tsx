import { Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import type { Problem } from '../interface/problem.ts';
import { Dialog } from './dialog.tsx';
import { FormButtons } from './form-buttons.tsx';
import { ProblemNote } from './problem-note.tsx';

interface Props {
  readonly title: string;
  /** What sends the form. */
  readonly change: { readonly error: Problem | null; readonly isPending: boolean };
  /** What the button that sends the form says. */
  readonly submit: string;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A form in a dialog, whose fields say themselves what is wrong with them: any other problem stands above them. */
export const FormDialog = ({ title, change: { error, isPending }, submit, onSubmit, onClose, children }: Props): ReactNode => {
  const send = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <Dialog opened onClose={onClose} title={title}>
      <form onSubmit={send}>
        <Stack gap="md">
          {error?.issues.length === 0 && <ProblemNote problem={error} />}
          {children}
          <FormButtons submit={submit} isBusy={isPending} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
};
