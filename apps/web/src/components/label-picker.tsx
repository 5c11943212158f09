import { Badge, Box, Checkbox, CloseButton, Combobox, Group, Loader, PillsInput, ScrollArea, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type ReactNode, useEffect, useState } from 'react';
import { type Answer, call, useCall, useChange } from '../interface/call.ts';
import { useTranslate } from '../language/language.tsx';
import { useSession } from '../session/session.tsx';
import { NEW_OPTION, NewOption } from './entry-picker.tsx';
import { useNotifyProblem } from './use-notify-problem.ts';

interface LabelChipProps {
  readonly name: string;
  /** # and six hexadecimal digits; a list of documents knows only names. */
  readonly color?: string | undefined;
  readonly onRemove?: (() => void) | undefined;
  readonly disabled?: boolean;
  /** Cut where there is no room, instead of broken. */
  readonly isOneLine?: boolean;
}

/** A label: its name in the colour of text, as any colour may have been chosen, and a dot in its own. */
export const LabelChip = ({ name, color, onRemove, disabled = false, isOneLine = false }: LabelChipProps): ReactNode => {
  const t = useTranslate();
  return (
    <Badge
      variant="default"
      tt="none"
      fw={500}
      size="md"
      className={isOneLine ? undefined : 'stranger'}
      styles={{ label: { whiteSpace: isOneLine ? 'nowrap' : 'normal', unicodeBidi: 'plaintext' } }}
      style={{ flexShrink: 1, maxWidth: isOneLine ? 150 : '100%', height: 'auto', minHeight: 22 }}
      leftSection={
        color === undefined ? undefined : (
          <span
            aria-hidden
            style={{
              display: 'inline-block',
              width: 10,
              height: 10,
              borderRadius: 5,
              background: color,
              border: '1px solid rgb(128 128 128 / 50%)',
            }}
          />
        )
      }
      rightSection={
        onRemove === undefined ? undefined : (
          <CloseButton
            size={24}
            iconSize={14}
            mr={-8}
            onClick={onRemove}
            disabled={disabled}
            aria-label={t('labelPicker.remove', { name: name })}
          />
        )
      }
      title={name}
    >
      {name}
    </Badge>
  );
};

/** Colours of new labels, far enough from each other to be told apart. */
const COLORS = ['#2f9e44', '#1971c2', '#e8590c', '#9c36b5', '#c2255c', '#0c8599', '#f08c00', '#6741d9', '#5c940d', '#495057'] as const;

let next = Math.floor(Math.random() * COLORS.length);

/** Another colour for each new label. */
const newLabelColor = (): string => {
  next = (next + 1) % COLORS.length;
  return COLORS[next] ?? COLORS[0];
};

export type Label = Answer<'get /api/labels'>['labels'][number];

const SHOWN = 50;

const isCalled = ({ name }: Label, wanted: string): boolean => name.toLocaleLowerCase() === wanted.toLocaleLowerCase();

interface LabelPickerProps {
  readonly label: ReactNode;
  readonly value: readonly Label[];
  readonly onChange: (labels: readonly Label[]) => void;
  /** Whether a name that is not there yet can be made a label. */
  readonly mayCreate?: boolean;
  /** The choices stand below the field all the time, rather than above what follows. */
  readonly isAlwaysOpen?: boolean;
}

/** Labels chosen from all there are, found by what is typed. */
export const LabelPicker = ({ label, value, onChange, mayCreate = true, isAlwaysOpen = false }: LabelPickerProps): ReactNode => {
  const t = useTranslate();
  const { may } = useSession();
  const notifyProblem = useNotifyProblem();
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed.trim(), 150);
  const found = useCall('get /api/labels', { query: { q, per_page: SHOWN } }, { keepPrevious: true });
  const box = useCombobox({
    onDropdownClose: () => box.resetSelectedOption(),
    // others may have made labels since
    onDropdownOpen: () => void found.refetch(),
    ...(isAlwaysOpen ? { opened: true } : {}),
  });
  const create = useChange('post /api/labels', ['get /api/labels']);
  const labels = found.data?.labels ?? [];
  const chosen = new Set(value.map(({ id }) => id));
  const isNew = q !== '' && !labels.some((one) => isCalled(one, q));

  // Enter takes the first that fits, or makes it
  useEffect(() => {
    if (typed.trim() === '') box.resetSelectedOption();
    else box.selectFirstOption();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `box` is another one each time
  }, [typed, q, found.data]);

  const make = async (name: string): Promise<void> => {
    const { id } = await create.mutateAsync({ body: { name, color: newLabelColor() } });
    const { labels: all } = await call('get /api/labels', { query: { q: name, per_page: SHOWN } });
    onChange([...value, ...all.filter((one) => one.id === id)]);
  };
  const toggle = async (id: string): Promise<void> => {
    if (id === NEW_OPTION) await make(q);
    else if (chosen.has(id)) onChange(value.filter((one) => one.id !== id));
    else onChange([...value, ...labels.filter((one) => one.id === id)]);
    setTyped('');
  };
  /** For an Enter that comes before the choices: the first that fits what is typed by now, or a new one. */
  const takeTyped = async (): Promise<void> => {
    const name = typed.trim();
    const { labels: fitting } = await call('get /api/labels', { query: { q: name, per_page: SHOWN } });
    const [first] = fitting.toSorted((a, b) => Number(isCalled(b, name)) - Number(isCalled(a, name)));
    if (first === undefined && !(mayCreate && may('labels.create'))) return;
    if (first === undefined) await make(name);
    else if (!chosen.has(first.id)) onChange([...value, first]);
    setTyped('');
  };

  const offersNew = mayCreate && isNew && may('labels.create');
  // a list without choices is no list to those who hear it
  const choices =
    labels.length === 0 && !offersNew ? (
      <Combobox.Empty>{t('labelPicker.none')}</Combobox.Empty>
    ) : (
      <Combobox.Options aria-label={t('labelPicker.find')}>
        <ScrollArea.Autosize mah={240} type="auto">
          {labels.map((one) => (
            <Combobox.Option key={one.id} value={one.id} active={chosen.has(one.id)}>
              <Group gap="sm" wrap="nowrap">
                <Checkbox.Indicator checked={chosen.has(one.id)} aria-hidden />
                <LabelChip name={one.path.join(' / ')} color={one.color} />
              </Group>
            </Combobox.Option>
          ))}
          {offersNew && <NewOption label={t('labelPicker.create', { name: q })} />}
        </ScrollArea.Autosize>
      </Combobox.Options>
    );

  return (
    <Combobox store={box} onOptionSubmit={(id) => void toggle(id).catch(notifyProblem)}>
      <Combobox.DropdownTarget>
        <PillsInput
          label={label}
          onClick={() => box.openDropdown()}
          rightSection={found.isFetching ? <Loader size={14} /> : <Combobox.Chevron />}
        >
          <Group gap={6}>
            {value.map((one) => (
              <LabelChip
                key={one.id}
                name={one.name}
                color={one.color}
                onRemove={() => onChange(value.filter(({ id }) => id !== one.id))}
              />
            ))}
            <Combobox.EventsTarget>
              <PillsInput.Field
                value={typed}
                data-autofocus={isAlwaysOpen || undefined}
                placeholder={t('labelPicker.find')}
                onFocus={() => box.openDropdown()}
                onBlur={() => box.closeDropdown()}
                onChange={(event) => {
                  setTyped(event.currentTarget.value);
                  box.openDropdown();
                }}
                onKeyDown={(event) => {
                  if (event.key === 'Backspace' && typed === '' && value.length > 0) onChange(value.slice(0, -1));
                  if (event.key !== 'Enter' || event.nativeEvent.isComposing || typed.trim() === '') return;
                  // while the choices are still those of what was typed before, the first of them is not what is meant
                  if (typed.trim() === q && !found.isPlaceholderData && box.getSelectedOptionIndex() !== -1) return;
                  event.preventDefault();
                  box.resetSelectedOption();
                  void takeTyped().catch(notifyProblem);
                }}
              />
            </Combobox.EventsTarget>
          </Group>
        </PillsInput>
      </Combobox.DropdownTarget>
      {isAlwaysOpen ? <Box mt="xs">{choices}</Box> : <Combobox.Dropdown>{choices}</Combobox.Dropdown>}
    </Combobox>
  );
};
