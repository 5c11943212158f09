import { Box, Checkbox, Combobox, Group, Loader, PillsInput, ScrollArea, Text, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { type Answer, call } from '../interface/call.ts';
import { useCall, useChange } from '../interface/use-call.ts';
import { useTranslate } from '../language/language.tsx';
import { useSession } from '../session/session.tsx';
import { LabelChip } from './label-chip.tsx';
import { useNotifyProblem } from './use-notify-problem.ts';

export type Label = Answer<'get /api/labels'>['labels'][number];

const SHOWN = 50;
const NEW = '+';

interface Props {
  readonly label: ReactNode;
  readonly value: readonly Label[];
  readonly onChange: (labels: readonly Label[]) => void;
  /** Whether a name that is not there yet can be made a label. */
  readonly mayCreate?: boolean;
  /** The choices stand below the field all the time, rather than above what follows. */
  readonly isAlwaysOpen?: boolean;
}

/** Labels chosen from all there are, found by what is typed. */
export const LabelPicker = ({ label, value, onChange, mayCreate = true, isAlwaysOpen = false }: Props): ReactNode => {
  const t = useTranslate();
  const { may } = useSession();
  const notifyProblem = useNotifyProblem();
  const box = useCombobox({ onDropdownClose: () => box.resetSelectedOption(), ...(isAlwaysOpen ? { opened: true } : {}) });
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed.trim(), 150);
  const found = useCall('get /api/labels', { query: { q, per_page: SHOWN } }, { keepPrevious: true });
  const create = useChange('post /api/labels', ['get /api/labels']);
  const labels = found.data?.labels ?? [];
  const chosen = new Set(value.map(({ id }) => id));
  const isNew = q !== '' && !labels.some(({ name }) => name.toLocaleLowerCase() === q.toLocaleLowerCase());

  const toggle = async (id: string): Promise<void> => {
    if (id === NEW) {
      const { id: newId } = await create.mutateAsync({ body: { name: q } });
      const { labels: all } = await call('get /api/labels', { query: { q, per_page: SHOWN } });
      onChange([...value, ...all.filter((one) => one.id === newId)]);
    } else if (chosen.has(id)) onChange(value.filter((one) => one.id !== id));
    else onChange([...value, ...labels.filter((one) => one.id === id)]);
    setTyped('');
  };

  const choices = (
    <Combobox.Options aria-label={t('labelPicker.find')}>
      <ScrollArea.Autosize mah={240} type="auto">
        {labels.map((one) => (
          <Combobox.Option key={one.id} value={one.id} active={chosen.has(one.id)}>
            <Group gap="sm" wrap="nowrap">
              <Checkbox.Indicator checked={chosen.has(one.id)} aria-hidden />
              <LabelChip name={one.name} color={one.color} />
            </Group>
          </Combobox.Option>
        ))}
        {mayCreate && isNew && may('labels.create') && (
          <Combobox.Option value={NEW}>
            <Text size="sm" className="stranger">
              {t('labelPicker.create', { name: q })}
            </Text>
          </Combobox.Option>
        )}
        {labels.length === 0 && !isNew && <Combobox.Empty>{t('labelPicker.none')}</Combobox.Empty>}
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
                placeholder={t('labelPicker.find')}
                onFocus={() => box.openDropdown()}
                onBlur={() => box.closeDropdown()}
                onChange={(event) => {
                  setTyped(event.currentTarget.value);
                  box.openDropdown();
                  box.updateSelectedOptionIndex();
                }}
                onKeyDown={(event) => {
                  if (event.key === 'Backspace' && typed === '' && value.length > 0) onChange(value.slice(0, -1));
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
