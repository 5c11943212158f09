import { Anchor, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { type Operation, useChange } from '../interface/call.ts';
import { useTranslate } from '../language/language.tsx';
import { Dialog, FormButtons } from './dialog.tsx';
import { FindField, useTypedFilter } from './list-filters.tsx';
import { ProblemNote } from './problem-note.tsx';
import { type Column, RecordTable, type RecordTableProps } from './record-table.tsx';
import { EmptyList, type EmptyStateProps, ScreenHeader } from './screen-parts.tsx';

interface Entry {
  readonly id: string;
  readonly document_count: number;
  readonly created_by: string | null;
}

/** The columns that all have that documents are filed by, labels too: the documents, which the filter called `filter` finds, and who made it. */
export const useEntryColumns = (filter: string): readonly Column<Entry>[] => {
  const t = useTranslate();
  return [
    {
      key: 'documents',
      title: t('labels.documents'),
      cell: ({ id, document_count: count }) => (
        <Anchor component={Link} href={`/documents?${filter}=${id}`} size="sm">
          {t('labels.count', { count })}
        </Anchor>
      ),
    },
    {
      key: 'by',
      title: t('labels.by'),
      cell: ({ created_by: by }) => (
        <Text size="sm" className="stranger">
          {by ?? t('labels.somebodyGone')}
        </Text>
      ),
    },
  ];
};

/** What is merged, or merged into. */
export interface Mergeable {
  readonly id: string;
  readonly name: string;
}

interface MergeDialogProps {
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
export const MergeDialog = ({ operation, touches, merged: { id, name }, hint, picker, onClose }: MergeDialogProps): ReactNode => {
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

interface EntryListProps<R> extends Omit<RecordTableProps<R>, 'caption' | 'empty'> {
  readonly title: string;
  readonly hint: string;
  /** The label of the field that finds them by name. */
  readonly find: string;
  /** What is looked for; undefined: all of them. */
  readonly q: string | undefined;
  readonly onFind: (q: string) => void;
  /** Where there are none yet. */
  readonly none: EmptyStateProps;
  /** Where none has the name that is looked for. */
  readonly noneFound: string;
  /** The button that makes one, for those who may. */
  readonly create: ReactNode;
}

/** The entries of a kind that have names, such as labels: they are found by them, and new ones are made. */
export const EntryList = <R,>({ title, hint, find, q, onFind, none, noneFound, create, ...table }: EntryListProps<R>): ReactNode => {
  const [typed, type] = useTypedFilter(q, onFind);
  const empty = (
    <EmptyList {...none} noneFound={q === undefined ? undefined : noneFound}>
      {create}
    </EmptyList>
  );
  return (
    <>
      <ScreenHeader title={title} hint={hint}>
        {create}
      </ScreenHeader>
      <FindField label={find} value={typed} onChange={type} mb="md" maw={420} />
      <RecordTable caption={title} {...table} empty={empty} />
    </>
  );
};
