import { TagsInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { FILING_CALLS, type FilingEntry, type FilingKind } from '../../components/filing-kinds.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { NameField } from '../../components/text-field.tsx';
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

  const save = (): void => {
    const { aliases, ibans, vat_ids, domains } = lists;
    const body = kind === 'correspondent' ? { name, aliases, ibans, vat_ids, domains } : { name };
    if (entry === undefined) create.mutate({ body }, { onSuccess: onClose });
    else update.mutate({ params: { id: entry.id }, body }, { onSuccess: onClose });
  };

  const title = entry === undefined ? t(`filing.create.${kind}`) : t('labels.editOf', { name: entry.name });
  return (
    <FormDialog title={title} change={change} submit={t('labels.save')} onSubmit={save} onClose={onClose}>
      <NameField label={t('labels.name')} value={name} onChange={setName} error={errorOf('name')} maxLength={MOST_CHARACTERS[kind]} />
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
    </FormDialog>
  );
};
