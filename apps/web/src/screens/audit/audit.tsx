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
import { useFormat, useTranslate, useTranslator } from '../../language/language.tsx';

type Entry = Answer<'get /api/audit'>['data'][number];
type Query = NonNullable<Arguments<'get /api/audit'>['query']>;

const SHOWN_DETAILS = 2;

/** What else is known of it; the rest where somebody asks. */
const Details = ({ details }: Pick<Entry, 'details'>): ReactNode => {
  const t = useTranslate();
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
          {showsAll ? t('audit.less') : t('audit.more')}
        </Button>
      )}
    </>
  );
};

const useColumns = (): readonly Column<Entry>[] => {
  const { t, find } = useTranslator();
  const format = useFormat();
  return [
    { key: 'when', title: t('audit.when'), isWhole: true, cell: ({ created_at: at }) => <Text size="sm">{format.dateTime(at)}</Text> },
    {
      key: 'who',
      title: t('audit.who'),
      cell: ({ actor, address }) => (
        <Stack gap={0}>
          <Text size="sm" fw={500} className="stranger">
            {actor.username ?? t('audit.nobody')}
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
      title: t('audit.what'),
      cell: ({ action, subject }) => (
        <Stack gap={2} align="flex-start">
          <Text size="sm">{find(`auditActions.${action}`)}</Text>
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
      title: t('audit.outcome'),
      cell: ({ outcome }) => (
        <Badge variant="light" tt="none" color={outcome === 'success' ? 'teal' : 'red'}>
          {t(`audit.${outcome}`)}
        </Badge>
      ),
    },
    {
      key: 'details',
      title: t('audit.details'),
      cell: ({ details }) => <Details details={details} />,
    },
  ];
};

const ACTION = /^[a-z_.]{1,100}$/;

/** The audit log. */
const Audit = (): ReactNode => {
  const t = useTranslate();
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
      <ScreenHeader title={t('audit.title')} hint={t('audit.hint')} />
      <Group mb="md" gap="sm" align="flex-end">
        <TextInput
          label={t('audit.action')}
          value={action}
          onChange={(event) => type(event.currentTarget.value.trim())}
          style={{ flex: '1 1 200px' }}
        />
        <ChoiceFilter
          name={t('audit.outcome')}
          any={t('audit.anyOutcome')}
          choices={['success', 'failure']}
          labelOf={(choice) => t(`audit.${choice}`)}
          value={state.outcome}
          onChange={(outcome) => change({ outcome })}
          hasLabel
        />
        <TextInput
          type="date"
          label={t('audit.from')}
          value={state.date_from ?? ''}
          onChange={(event) => change({ date_from: event.currentTarget.value }, { replace: true })}
        />
        <TextInput
          type="date"
          label={t('audit.to')}
          value={state.date_to ?? ''}
          onChange={(event) => change({ date_to: event.currentTarget.value }, { replace: true })}
        />
      </Group>
      <RecordTable
        caption={t('audit.title')}
        columns={columns}
        records={data?.data}
        idOf={({ id }) => id}
        {...pagingOf(list, change)}
        empty={<EmptyState icon={IconShieldCheck} title={t('audit.none')} />}
      />
    </>
  );
};
export default Audit;
