import { Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { Operation } from '../interface/call.ts';
import { useChange } from '../interface/use-call.ts';
import { useTranslate } from '../language/language.tsx';
import { Dialog } from './dialog.tsx';
import { FormButtons } from './form-buttons.tsx';
import { ProblemNote } from './problem-note.tsx';

/** What is merged, or merged into. */
export interface Mergeable {
  readonly id: string;
  readonly name: string;
}

interface Props {
  readonly operation: Extract<Operation, `post /api/${string}/{id}/merge`>;
  /** Asked again afterwards. */
  readonly touches: readonly Operation[];
  readonly merged: Mergeable;
  /** What happens to the documents, with their number. */
  readonly hint: string;
  /** Asks for the one that remains. */
  readonly picker: (into: Mergeable | null, pick: (into: Mergeable | null) => void) => ReactNode;
  readonly onClose: () => void;
}

/** Asks what something is merged into, and merges it. */
export const MergeDialog = ({ operation, touches, merged: { id, name }, hint, picker, onClose }: Props): ReactNode => {
  const t = useTranslate();
  const [into, setInto] = useState<Mergeable | null>(null);
  const change = useChange(operation, touches);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (into === null) return;
    const onSuccess = (): void => {
      notifications.show({ message: t('filing.merged', { name, into: into.name }) });
      onClose();
    };
    change.mutate({ params: { id }, body: { into: into.id } }, { onSuccess });
  };
  return (
    <Dialog opened onClose={onClose} title={t('filing.mergeOf', { name })}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <ProblemNote problem={change.error} />
          {picker(into, setInto)}
          <Text size="sm" className="stranger">
            {hint}
          </Text>
          <FormButtons submit={t('filing.merge')} isBusy={change.isPending} isIncomplete={into === null} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
};
