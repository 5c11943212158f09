import { Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { EntryPicker, type PickedEntry } from '../../components/entry-picker.tsx';
import { FILING_CALLS, type FilingEntry, type FilingKind } from '../../components/filing-kinds.ts';
import { FormButtons } from '../../components/form-buttons.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { useChange } from '../../interface/use-call.ts';
import { useTranslate } from '../../language/language.tsx';
import { touchedBy } from './touched.ts';

interface Props {
  readonly kind: FilingKind;
  readonly entry: FilingEntry;
  readonly onClose: () => void;
}

/** Asks for the entry that receives the documents of this one. */
export const MergeDialog = ({ kind, entry, onClose }: Props): ReactNode => {
  const t = useTranslate();
  const [into, setInto] = useState<PickedEntry | null>(null);
  const change = useChange(FILING_CALLS[kind].merge, touchedBy(kind));
  const { id, name, document_count: count } = entry;
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
          <EntryPicker kind={kind} label={t('filing.mergeInto')} value={into} onChange={setInto} except={id} mayCreate={false} />
          <Text size="sm" className="stranger">
            {t('filing.mergeHint', { name, count })}
          </Text>
          <FormButtons submit={t('filing.merge')} isBusy={change.isPending} isIncomplete={into === null} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
};
