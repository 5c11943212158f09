import { Stack, TagsInput, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { FILING_CALLS, type FilingEntry, type FilingKind } from '../../components/filing-kinds.ts';
import { FormButtons } from '../../components/form-buttons.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import type { Answer } from '../../interface/call.ts';
import { useChange } from '../../interface/use-call.ts';
import { useTranslate } from '../../language/language.tsx';
import { useFieldErrors } from '../../messages/use-problem-messages.ts';
import { touchedBy } from './touched.ts';

const MOST_CHARACTERS: Readonly<Record<FilingKind, number>> = { correspondent: 200, document_type: 100 };

const LISTS = ['aliases', 'ibans', 'vat_ids', 'domains'] as const;
type Lists = Pick<Answer<'get /api/correspondents/{id}'>, (typeof LISTS)[number]>;
const NO_LISTS: Lists = { aliases: [], ibans: [], vat_ids: [], domains: [] };

/** Those of a correspondent: a document type has none. */
const listsOf = (entry: FilingEntry | undefined): Lists => ({ ...NO_LISTS, ...entry });

interface Props {
  readonly kind: FilingKind;
  /** Undefined: a new one. */
  readonly entry: FilingEntry | undefined;
  readonly onClose: () => void;
}

/** The name of an entry, and by what else a correspondent is recognized. */
export const EntryForm = ({ kind, entry, onClose }: Props): ReactNode => {
  const t = useTranslate();
  const [name, setName] = useState(entry?.name ?? '');
  const [lists, setLists] = useState(() => listsOf(entry));
  const touches = touchedBy(kind);
  const create = useChange(FILING_CALLS[kind].create, touches);
  const update = useChange(FILING_CALLS[kind].update, touches);
  const change = entry === undefined ? create : update;
  const errorOf = useFieldErrors(change.error);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const { aliases, ibans, vat_ids, domains } = lists;
    const body = kind === 'correspondent' ? { name, aliases, ibans, vat_ids, domains } : { name };
    if (entry === undefined) create.mutate({ body }, { onSuccess: onClose });
    else update.mutate({ params: { id: entry.id }, body }, { onSuccess: onClose });
  };

  return (
    <Dialog opened onClose={onClose} title={entry === undefined ? t(`filing.create.${kind}`) : t('labels.editOf', { name: entry.name })}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {change.error !== null && change.error.issues.length === 0 && <ProblemNote problem={change.error} />}
          <TextInput
            label={t('labels.name')}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={errorOf('name')}
            maxLength={MOST_CHARACTERS[kind]}
            required
            withAsterisk={false}
            data-autofocus
          />
          {kind === 'correspondent' &&
            LISTS.map((list) => (
              <TagsInput
                key={list}
                label={t(`filing.${list}`)}
                description={t('filing.listHint')}
                value={[...lists[list]]}
                onChange={(values) => setLists({ ...lists, [list]: values })}
                error={lists[list].map((_, index) => errorOf(`${list}.${index}`)).find((problem) => problem !== undefined) ?? errorOf(list)}
                acceptValueOnBlur
              />
            ))}
          <FormButtons submit={t('labels.save')} isBusy={change.isPending} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
};
