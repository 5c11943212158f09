import { Badge, Button, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { ChoiceFilter } from '../../components/choice-filter.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { pagingOf } from '../../components/paging.ts';
import { type Column, RecordTable } from '../../components/record-table.tsx';
import { ScreenHeader } from '../../components/screen-header.tsx';
import { pageOf, useAddressState } from '../../interface/address-state.ts';
import type { Answer, Arguments } from '../../interface/call.ts';
import { useRowsPerPage } from '../../interface/rows-per-page.ts';
import { useTypedFilter } from '../../interface/typed-filter.ts';
import { useCall } from '../../interface/use-call.ts';
import { useFormat, useTexts } from '../../language/language.tsx';
import { defineTexts } from '../../language/texts.ts';

type Entry = Answer<'get /api/audit'>['data'][number];
type Query = NonNullable<Arguments<'get /api/audit'>['query']>;

const texts = defineTexts({
  en: {
    title: 'Audit',
    hint: 'Who did what, when, and from where.',
    when: 'When',
    who: 'Who',
    what: 'What',
    outcome: 'Outcome',
    details: 'Details',
    success: 'done',
    failure: 'refused',
    anyOutcome: 'Done and refused',
    action: 'Action, such as sign_in',
    from: 'From',
    to: 'Until',
    nobody: 'nobody known',
    more: 'More',
    less: 'Less',
    none: 'Nothing fits',
  },
  de: {
    title: 'Protokoll',
    hint: 'Wer was wann und von wo getan hat.',
    when: 'Wann',
    who: 'Wer',
    what: 'Was',
    outcome: 'Ergebnis',
    details: 'Einzelheiten',
    success: 'getan',
    failure: 'abgelehnt',
    anyOutcome: 'Getan und abgelehnt',
    action: 'Aktion, etwa sign_in',
    from: 'Von',
    to: 'Bis',
    nobody: 'niemand Bekanntes',
    more: 'Mehr',
    less: 'Weniger',
    none: 'Nichts passt',
  },
});

const SHOWN_DETAILS = 2;

/** What else is known of it; the rest where somebody asks. */
const Details = ({ details }: Pick<Entry, 'details'>): ReactNode => {
  const t = useTexts(texts);
  const [showsAll, setShowsAll] = useState(false);
  const all = Object.entries(details);
  return (
    <>
      {(showsAll ? all : all.slice(0, SHOWN_DETAILS)).map(([name, value]) => (
        <Text key={name} size="xs" className="stranger" lineClamp={showsAll ? undefined : 2}>
          {name}: {typeof value === 'string' ? value : JSON.stringify(value)}
        </Text>
      ))}
      {all.length > SHOWN_DETAILS && (
        <Button size="compact-xs" variant="subtle" onClick={() => setShowsAll(!showsAll)} aria-expanded={showsAll}>
          {showsAll ? t.less : t.more}
        </Button>
      )}
    </>
  );
};

const useColumns = (): readonly Column<Entry>[] => {
  const t = useTexts(texts);
  const format = useFormat();
  return [
    { key: 'when', title: t.when, isWhole: true, cell: ({ created_at: at }) => <Text size="sm">{format.dateTime(at)}</Text> },
    {
      key: 'who',
      title: t.who,
      cell: ({ actor, address }) => (
        <Stack gap={0}>
          <Text size="sm" fw={500} className="stranger">
            {actor.username ?? t.nobody}
          </Text>
          {address !== null && (
            <Text size="xs" c="dimmed">
              {address}
            </Text>
          )}
        </Stack>
      ),
    },
    {
      key: 'what',
      title: t.what,
      cell: ({ action, subject }) => (
        <Stack gap={2} align="flex-start">
          <Code>{action}</Code>
          {subject !== null && (
            <Text size="xs" c="dimmed" className="stranger">
              {subject.type} {subject.id}
            </Text>
          )}
        </Stack>
      ),
    },
    {
      key: 'outcome',
      title: t.outcome,
      cell: ({ outcome }) => (
        <Badge variant="light" tt="none" color={outcome === 'success' ? 'teal' : 'red'}>
          {t[outcome]}
        </Badge>
      ),
    },
    {
      key: 'details',
      title: t.details,
      cell: ({ details }) => <Details details={details} />,
    },
  ];
};

const ACTION = /^[a-z_.]{1,100}$/;

/** The audit log. */
const Audit = (): ReactNode => {
  const t = useTexts(texts);
  const [state, change] = useAddressState(['action', 'outcome', 'date_from', 'date_to', 'page']);
  const [action, type] = useTypedFilter(state.action, (text) => {
    if (text === '' || ACTION.test(text)) change({ action: text }, { replace: true });
  });
  const { perPage, isSettled } = useRowsPerPage();
  const query = { ...state, page: pageOf(state), per_page: perPage } as Query;
  const list = useCall('get /api/audit', { query }, { enabled: isSettled, keepPrevious: true });
  const { data } = list;
  const columns = useColumns();
  return (
    <>
      <ScreenHeader title={t.title} hint={t.hint} />
      <Group mb="md" gap="sm" align="flex-end">
        <TextInput
          label={t.action}
          value={action}
          onChange={(event) => type(event.currentTarget.value.trim())}
          style={{ flex: '1 1 200px' }}
        />
        <ChoiceFilter
          name={t.outcome}
          any={t.anyOutcome}
          choices={['success', 'failure']}
          words={t}
          value={state.outcome}
          onChange={(outcome) => change({ outcome })}
          hasLabel
        />
        <TextInput
          type="date"
          label={t.from}
          value={state.date_from ?? ''}
          onChange={(event) => change({ date_from: event.currentTarget.value }, { replace: true })}
        />
        <TextInput
          type="date"
          label={t.to}
          value={state.date_to ?? ''}
          onChange={(event) => change({ date_to: event.currentTarget.value }, { replace: true })}
        />
      </Group>
      <RecordTable
        caption={t.title}
        columns={columns}
        records={data?.data}
        idOf={({ id }) => id}
        {...pagingOf(list, change)}
        empty={<EmptyState icon={IconShieldCheck} title={t.none} />}
      />
    </>
  );
};
export default Audit;
