import { CloseButton, Combobox, Loader, ScrollArea, Text, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type ReactNode, useEffect, useState } from 'react';
import { call, useCall, useChange } from '../interface/call.ts';
import { useTranslate } from '../language/language.tsx';
import { useSession } from '../session/session.tsx';
import { FILING_CALLS, type FilingEntry, type FilingKind } from './filing-kinds.ts';
import { useNotifyProblem } from './use-notify-problem.ts';

/** The value of the choice that makes a new one, which no id is. */
export const NEW_OPTION = '+';

/** The choice that makes a new one of what is typed. */
export const NewOption = ({ label }: { readonly label: string }): ReactNode => (
  <Combobox.Option value={NEW_OPTION}>
    <Text size="sm" className="stranger">
      {label}
    </Text>
  </Combobox.Option>
);

const SHOWN = 50;

export type PickedEntry = Pick<FilingEntry, 'id' | 'name'>;

const isCalled = ({ name }: PickedEntry, wanted: string): boolean => name.toLocaleLowerCase() === wanted.toLocaleLowerCase();

interface Props {
  readonly kind: FilingKind;
  readonly label: string;
  readonly value: PickedEntry | null;
  readonly onChange: (entry: PickedEntry | null) => void;
  /** Choices above those that there are, such as that there is none. */
  readonly others?: readonly PickedEntry[];
  /** The id of an entry that is not to be chosen. */
  readonly except?: string;
  readonly placeholder?: string;
  /** Whether a name that is not there yet can be made an entry. */
  readonly mayCreate?: boolean;
  readonly isReadOnly?: boolean;
  readonly error?: ReactNode;
}

/** One correspondent or document type, found by what is typed. What is typed and not chosen is left when the field is; an emptied field is nothing. */
export const EntryPicker = ({
  kind,
  label,
  value,
  onChange,
  others = [],
  except,
  placeholder,
  mayCreate = true,
  isReadOnly = false,
  error,
}: Props): ReactNode => {
  const t = useTranslate();
  const { may } = useSession();
  const notifyProblem = useNotifyProblem();
  const calls = FILING_CALLS[kind];
  const box = useCombobox({ onDropdownClose: () => box.resetSelectedOption() });
  // undefined: as it was chosen
  const [typed, setTyped] = useState<string>();
  const text = (typed ?? '').trim();
  const [q] = useDebouncedValue(text, 150);
  const found = useCall(
    calls.list,
    { query: { q, per_page: SHOWN } },
    { keepPrevious: true, enabled: box.dropdownOpened && may('labels.read') },
  );
  const create = useChange(calls.create, [calls.list]);
  const entries: readonly PickedEntry[] = [
    ...others.filter(({ name }) => name.toLocaleLowerCase().includes(q.toLocaleLowerCase())),
    ...(found.data?.data ?? []).filter(({ id }) => id !== except),
  ];
  const mayMake = mayCreate && may('labels.create');
  const offersNew = mayMake && q !== '' && !entries.some((one) => isCalled(one, q));

  // Enter takes the first that fits, or makes it
  useEffect(() => {
    if (text === '') box.resetSelectedOption();
    else box.selectFirstOption();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `box` is another one each time
  }, [text, q, found.data]);

  const choose = (entry: PickedEntry | null): void => {
    setTyped(undefined);
    box.closeDropdown();
    if (entry?.id !== value?.id) onChange(entry);
  };
  const make = async (name: string): Promise<void> => choose(await create.mutateAsync({ body: { name } }));
  const take = async (id: string): Promise<void> => {
    if (id === NEW_OPTION) await make(q);
    else choose(entries.find((one) => one.id === id) ?? null);
  };
  /** For an Enter that comes before the choices: the first that fits what is typed by now, or a new one. */
  const takeTyped = async (): Promise<void> => {
    if (text === '') return choose(null);
    const { data } = await call(calls.list, { query: { q: text, per_page: SHOWN } });
    const [first] = data.filter(({ id }) => id !== except).toSorted((a, b) => Number(isCalled(b, text)) - Number(isCalled(a, text)));
    if (first !== undefined) choose(first);
    else if (mayMake) await make(text);
  };
  const leave = (): void => {
    box.closeDropdown();
    if (typed === undefined) return;
    if (text === '') choose(null);
    setTyped(undefined);
  };

  const empty = found.isFetching ? <Loader size={14} /> : <Combobox.Chevron />;
  return (
    <Combobox store={box} onOptionSubmit={(id) => void take(id).catch(notifyProblem)}>
      <Combobox.Target>
        <TextInput
          label={label}
          error={error}
          placeholder={placeholder ?? (isReadOnly ? '–' : t(`filing.find.${kind}`))}
          value={typed ?? value?.name ?? ''}
          readOnly={isReadOnly}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            box.openDropdown();
          }}
          onClick={() => isReadOnly || box.openDropdown()}
          onFocus={() => isReadOnly || box.openDropdown()}
          onBlur={leave}
          onKeyDown={(event) => {
            if (event.key === 'Escape') setTyped(undefined);
            if (event.key !== 'Enter' || event.nativeEvent.isComposing || typed === undefined) return;
            // while the choices are still those of what was typed before, the first of them is not what is meant
            if (text !== '' && text === q && !found.isPlaceholderData && box.getSelectedOptionIndex() !== -1) return;
            event.preventDefault();
            box.resetSelectedOption();
            void takeTyped().catch(notifyProblem);
          }}
          rightSectionPointerEvents={value === null || isReadOnly ? 'none' : 'all'}
          rightSection={
            isReadOnly ? null : value === null ? (
              empty
            ) : (
              <CloseButton
                size="sm"
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => choose(null)}
                aria-label={t('filing.clear', { field: label })}
              />
            )
          }
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={isReadOnly}>
        {/* a list without choices is no list to those who hear it */}
        {entries.length === 0 && !offersNew ? (
          <Combobox.Empty>{t(`filing.noneFound.${kind}`)}</Combobox.Empty>
        ) : (
          <Combobox.Options aria-label={t(`filing.find.${kind}`)}>
            <ScrollArea.Autosize mah={240} type="auto">
              {entries.map((one) => (
                <Combobox.Option key={one.id} value={one.id} active={one.id === value?.id}>
                  <Text size="sm" className="stranger">
                    {one.name}
                  </Text>
                </Combobox.Option>
              ))}
              {offersNew && <NewOption label={t('filing.createNamed', { name: q })} />}
            </ScrollArea.Autosize>
          </Combobox.Options>
        )}
      </Combobox.Dropdown>
    </Combobox>
  );
};
