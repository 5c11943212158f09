import { SimpleGrid, Stack, Switch } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type ReactNode, useState } from 'react';
import { FormDialog } from '../../components/dialog.tsx';
import { useFieldErrors } from '../../components/problem-note.tsx';
import { NameField, TextField } from '../../components/text-fields.tsx';
import { useChange } from '../../interface/call.ts';
import { useTranslate } from '../../language/language.tsx';
import { ColumnChoice } from '../documents/column-choice.tsx';
import { type Column, DEFAULT_COLUMNS } from '../documents/document-columns.ts';
import { useChosenColumns } from '../documents/list-columns.ts';
import { isShownAsList, type SavedSearch, type Shown, savedColumnsOf } from './saved-address.ts';

interface SavedColumnsProps {
  /** None: each user sees those of their own. */
  readonly columns: readonly Column[];
  readonly onChange: (columns: readonly Column[]) => void;
}

/** The columns that the list of a saved search shows. They begin with those that the user sees. */
export const SavedColumns = ({ columns, onChange }: SavedColumnsProps): ReactNode => {
  const t = useTranslate();
  const [own] = useChosenColumns();
  const initial = own.length === 0 ? DEFAULT_COLUMNS : own;
  return (
    <Stack gap="xs">
      <Switch
        label={t('savedSearches.columns')}
        description={t('savedSearches.columnsHint')}
        checked={columns.length > 0}
        onChange={(event) => onChange(event.currentTarget.checked ? initial : [])}
      />
      {columns.length > 0 && (
        <SimpleGrid cols={2} spacing="xs" role="group" aria-label={t('documents.columns')}>
          <ColumnChoice columns={columns} onChange={onChange} />
        </SimpleGrid>
      )}
    </Stack>
  );
};

const MAX_NAME = 100;

interface SearchFormProps {
  /** What is saved; with `search`, that one is changed. */
  readonly shown?: Shown;
  readonly search?: SavedSearch;
  readonly onClose: () => void;
}

/** Name, pin, sharing, notifications and columns of a saved search; of one that is there, its query as well. */
const SearchForm = ({ shown, search, onClose }: SearchFormProps): ReactNode => {
  const t = useTranslate();
  const [name, setName] = useState(search?.name ?? shown?.query.slice(0, MAX_NAME) ?? '');
  const [query, setQuery] = useState(search?.query ?? '');
  const saved = search ?? shown;
  const [chosenColumns, chooseColumns] = useState<readonly Column[]>();
  const isList = saved !== undefined && isShownAsList(search === undefined ? saved : { ...saved, query });
  const [isPinned, setPinned] = useState(search?.is_pinned ?? true);
  const [isShared, setShared] = useState(search?.is_shared ?? false);
  const [notify, setNotify] = useState(search?.notify ?? false);
  const touches = ['get /api/saved-searches'] as const;
  const create = useChange('post /api/saved-searches', touches);
  const update = useChange('patch /api/saved-searches/{id}', touches);
  const change = search === undefined ? create : update;
  const errorOf = useFieldErrors(change.error);
  const done = (): void => {
    notifications.show({ message: t('savedSearches.saved', { name }) });
    onClose();
  };

  const save = (): void => {
    const choices = { name, is_pinned: isPinned, is_shared: isShared, notify, ...(chosenColumns && { columns: [...chosenColumns] }) };
    if (search !== undefined) update.mutate({ params: { id: search.id }, body: { ...choices, query } }, { onSuccess: done });
    else create.mutate({ body: { ...shown, ...choices } }, { onSuccess: done });
  };

  const title = search === undefined ? t('savedSearches.save') : t('savedSearches.editOf', { name: search.name });
  return (
    <FormDialog title={title} change={change} submit={t('savedSearches.submit')} onSubmit={save} onClose={onClose}>
      <NameField label={t('savedSearches.name')} value={name} onChange={setName} error={errorOf('name')} maxLength={MAX_NAME} />
      {search !== undefined && (
        <TextField label={t('savedSearches.query')} value={query} onChange={setQuery} error={errorOf('query')} maxLength={2_000} />
      )}
      <Switch label={t('savedSearches.pin')} checked={isPinned} onChange={(event) => setPinned(event.currentTarget.checked)} />
      <Switch
        label={t('savedSearches.share')}
        description={t('savedSearches.shareHint')}
        checked={isShared}
        onChange={(event) => setShared(event.currentTarget.checked)}
      />
      <Switch
        label={t('savedSearches.notify')}
        description={t('savedSearches.notifyHint')}
        checked={notify}
        onChange={(event) => setNotify(event.currentTarget.checked)}
      />
      {isList && <SavedColumns columns={chosenColumns ?? savedColumnsOf(saved)} onChange={chooseColumns} />}
    </FormDialog>
  );
};
export default SearchForm;
