import { Anchor, Button, Group, Pill, Select, Stack, Text, UnstyledButton } from '@mantine/core';
import { AUDIT_ACTIONS } from '@sheaf/vocabulary/audit-actions';
import { IconDownload, IconShieldCheck } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { Mark } from '../../components/badges.tsx';
import { ChoiceFilter } from '../../components/list-filters.tsx';
import { type Column, RecordTable } from '../../components/record-table.tsx';
import { EmptyState, ScreenHeader } from '../../components/screen-parts.tsx';
import { SmallNote } from '../../components/small-note.tsx';
import { DateField } from '../../components/text-fields.tsx';
import { useAddressState } from '../../interface/address-state.ts';
import type { Answer } from '../../interface/call.ts';
import { usePagedCall } from '../../interface/paged-call.ts';
import { useFormat, useTranslate, useTranslator } from '../../language/language.tsx';

type Entry = Answer<'get /api/audit'>['data'][number];

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

/** Where that can be seen which something was done to. */
const SCREENS: Readonly<Record<string, string>> = { document: '/documents/', source: '/sources/' };

/** What something was done to; a link while it is there to be seen. */
const Subject = ({ action, subject }: Pick<Entry, 'action' | 'subject'>): ReactNode => {
  if (subject === null) return null;
  const text = `${subject.type} ${subject.id}`;
  const screen = SCREENS[subject.type];
  return screen === undefined || action.endsWith('.deleted') ? (
    <SmallNote className="stranger">{text}</SmallNote>
  ) : (
    <Anchor component={Link} href={screen + encodeURIComponent(subject.id)} size="xs" className="stranger">
      {text}
    </Anchor>
  );
};

const useColumns = (onActor: (id: string) => void): readonly Column<Entry>[] => {
  const { t, find } = useTranslator();
  const format = useFormat();
  return [
    { key: 'when', title: t('audit.when'), isWhole: true, cell: ({ created_at: at }) => <Text size="sm">{format.dateTime(at)}</Text> },
    {
      key: 'who',
      title: t('audit.who'),
      cell: ({ actor, address }) => (
        <Stack gap={0}>
          {actor.id === null ? (
            <Text size="sm" fw={500} className="stranger">
              {actor.username ?? t('audit.nobody')}
            </Text>
          ) : (
            <UnstyledButton onClick={() => onActor(actor.id ?? '')} title={t('audit.onlyOf', { name: actor.username ?? '' })}>
              <Text size="sm" fw={500} className="stranger">
                {actor.username ?? t('audit.nobody')}
              </Text>
            </UnstyledButton>
          )}
          {address !== null && <SmallNote>{address}</SmallNote>}
        </Stack>
      ),
    },
    {
      key: 'what',
      title: t('audit.what'),
      cell: ({ action, subject }) => (
        <Stack gap={2} align="flex-start">
          <Text size="sm" title={action} data-action>
            {find(`auditActions.${action}`) ?? action}
          </Text>
          <Subject action={action} subject={subject} />
        </Stack>
      ),
    },
    {
      key: 'outcome',
      title: t('audit.outcome'),
      cell: ({ outcome }) => <Mark text={t(`audit.${outcome}`)} color={outcome === 'success' ? 'teal' : 'red'} />,
    },
    {
      key: 'details',
      title: t('audit.details'),
      cell: ({ details }) => <Details details={details} />,
    },
  ];
};

const FILTERS = ['action', 'actor_id', 'outcome', 'date_from', 'date_to'] as const;

/** The audit log. */
const Audit = (): ReactNode => {
  const { t, find } = useTranslator();
  const [state, change, bind] = useAddressState([...FILTERS, 'page']);
  const { data, paging } = usePagedCall('get /api/audit', state, change);
  const columns = useColumns((actorId) => change({ actor_id: actorId }));
  // what the address asks for is shown, also where there is no such action
  const actions = [...new Set([...AUDIT_ACTIONS, ...(state.action === undefined ? [] : [state.action])])];
  const wanted = new URLSearchParams(FILTERS.flatMap((name) => (state[name] === undefined ? [] : [[name, state[name]]])));
  const chosen = data?.data.find(({ actor }) => actor.id === state.actor_id)?.actor.username ?? state.actor_id;
  const empty = <EmptyState icon={IconShieldCheck} title={t('audit.none')} />;
  return (
    <>
      <ScreenHeader title={t('audit.title')} hint={t('audit.hint')}>
        <Button component="a" href={`/api/audit/export?${wanted}`} variant="default" leftSection={<IconDownload size={16} />}>
          {t('audit.export')}
        </Button>
      </ScreenHeader>
      <Group mb="md" gap="sm" align="flex-end">
        <Select
          label={t('audit.what')}
          placeholder={t('audit.anyAction')}
          searchable
          clearable
          data={actions.map((action) => ({ value: action, label: find(`auditActions.${action}`) ?? action }))}
          value={state.action ?? null}
          onChange={(action) => change({ action: action ?? undefined })}
          style={{ flex: '1 1 240px' }}
        />
        <ChoiceFilter
          name={t('audit.outcome')}
          any={t('audit.anyOutcome')}
          choices={(['success', 'failure'] as const).map((value) => ({ value, label: t(`audit.${value}`) }))}
          {...bind('outcome')}
          hasLabel
        />
        <DateField label={t('audit.from')} value={state.date_from} onChange={(day) => change({ date_from: day }, { replace: true })} />
        <DateField label={t('audit.to')} value={state.date_to} onChange={(day) => change({ date_to: day }, { replace: true })} />
      </Group>
      {state.actor_id !== undefined && (
        <Pill
          size="lg"
          mb="md"
          withRemoveButton
          onRemove={() => change({ actor_id: undefined })}
          removeButtonProps={{ 'aria-label': t('audit.anyUser'), 'aria-hidden': false, tabIndex: 0 }}
        >
          {t('audit.onlyOf', { name: chosen ?? '' })}
        </Pill>
      )}
      <RecordTable caption={t('audit.title')} columns={columns} {...paging} empty={empty} />
    </>
  );
};
export default Audit;
