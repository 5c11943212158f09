import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { DELIVERY_CHANNELS, DELIVERY_STATES } from '@sheaf/vocabulary';
import { IconRefresh, IconSend } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ChoiceFilter } from '../../components/choice-filter.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { pagingOf } from '../../components/paging.ts';
import { type Column, RecordTable } from '../../components/record-table.tsx';
import { ScreenHeader } from '../../components/screen-header.tsx';
import { useTellProblem } from '../../components/tell-problem.ts';
import { pageOf, useAddressState } from '../../interface/address-state.ts';
import type { Answer, Arguments } from '../../interface/call.ts';
import { useRowsPerPage } from '../../interface/rows-per-page.ts';
import { useCall, useChange } from '../../interface/use-call.ts';
import { useFormat, useTexts } from '../../language/language.tsx';
import { defineTexts } from '../../language/texts.ts';
import { useSession } from '../../session/session.tsx';
import { notificationTexts } from '../notifications/texts.ts';

type Delivery = Answer<'get /api/deliveries'>['data'][number];
type Query = NonNullable<Arguments<'get /api/deliveries'>['query']>;

const texts = defineTexts({
  en: {
    title: 'Deliveries',
    hint: 'What left by e-mail and webhook, and what did not.',
    what: 'What',
    to: 'To',
    state: 'State',
    attempts: 'Attempts',
    when: 'When',
    actions: 'Actions',
    retry: 'Send again',
    anyState: 'All states',
    anyChannel: 'E-mail and webhook',
    email: 'e-mail',
    webhook: 'webhook',
    pending: 'waiting',
    sending: 'being sent',
    delivered: 'delivered',
    failed: 'failed',
    none: 'Nothing has left yet',
    noneHint: 'E-mail and webhooks are set up with EMAIL_ENABLED and WEBHOOK_ENABLED.',
    next: (when: string) => `next attempt ${when}`,
    of: (done: string, most: string) => `${done} of ${most}`,
  },
  de: {
    title: 'Zustellungen',
    hint: 'Was per E-Mail und Webhook hinausging und was nicht.',
    what: 'Was',
    to: 'An',
    state: 'Stand',
    attempts: 'Versuche',
    when: 'Wann',
    actions: 'Aktionen',
    retry: 'Noch einmal senden',
    anyState: 'Jeder Stand',
    anyChannel: 'E-Mail und Webhook',
    email: 'E-Mail',
    webhook: 'Webhook',
    pending: 'wartet',
    sending: 'wird gesendet',
    delivered: 'zugestellt',
    failed: 'fehlgeschlagen',
    none: 'Es ging noch nichts hinaus',
    noneHint: 'E-Mail und Webhooks werden mit EMAIL_ENABLED und WEBHOOK_ENABLED eingerichtet.',
    next: (when: string) => `nächster Versuch ${when}`,
    of: (done: string, most: string) => `${done} von ${most}`,
  },
});

const COLORS: Readonly<Record<Delivery['state'], string>> = { pending: 'gray', sending: 'blue', delivered: 'teal', failed: 'red' };

const useColumns = (): readonly Column<Delivery>[] => {
  const t = useTexts(texts);
  const kinds = useTexts(notificationTexts);
  const format = useFormat();
  const tell = useTellProblem();
  const { may } = useSession();
  const retry = useChange('post /api/deliveries/{id}/retry', ['get /api/deliveries']);
  return [
    {
      key: 'what',
      title: t.what,
      cell: ({ type, channel }) => (
        <Stack gap={0}>
          <Text size="sm" fw={500}>
            {kinds[type]}
          </Text>
          <Text size="xs" c="dimmed">
            {t[channel]}
          </Text>
        </Stack>
      ),
    },
    {
      key: 'to',
      title: t.to,
      width: '22%',
      cell: ({ recipient }) => (
        <Text size="sm" className="stranger" lineClamp={3}>
          {recipient ?? 'WEBHOOK_URL'}
        </Text>
      ),
    },
    {
      key: 'state',
      title: t.state,
      cell: ({ state, last_error: error, next_attempt_at: next }) => (
        <Stack gap={4} align="flex-start">
          <Badge variant="light" tt="none" color={COLORS[state]}>
            {t[state]}
          </Badge>
          {error !== null && state !== 'delivered' && (
            <Text size="xs" className="stranger" lineClamp={6}>
              {error}
            </Text>
          )}
          {state === 'pending' && next !== null && (
            <Text size="xs" c="dimmed">
              {t.next(format.ago(next))}
            </Text>
          )}
        </Stack>
      ),
    },
    {
      key: 'attempts',
      title: t.attempts,
      cell: ({ attempts, max_attempts: most }) => <Text size="sm">{t.of(format.number(attempts), format.number(most))}</Text>,
    },
    {
      key: 'when',
      title: t.when,
      isWhole: true,
      width: '16%',
      cell: ({ created_at: at }) => (
        <Text size="sm" title={format.dateTime(at)}>
          {format.ago(at)}
        </Text>
      ),
    },
    {
      key: 'actions',
      title: t.actions,
      hasHiddenTitle: true,
      align: 'right',
      cell: ({ id, state }) =>
        state === 'failed' && may('settings.update') ? (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconRefresh size={14} />}
            onClick={() => retry.mutate({ params: { id } }, { onError: tell })}
          >
            {t.retry}
          </Button>
        ) : null,
    },
  ];
};

/** What left by e-mail and webhook. */
const Deliveries = (): ReactNode => {
  const t = useTexts(texts);
  const [state, change] = useAddressState(['state', 'channel', 'page']);
  const { perPage, isSettled } = useRowsPerPage();
  const query = { ...state, page: pageOf(state), per_page: perPage } as Query;
  const list = useCall('get /api/deliveries', { query }, { enabled: isSettled, keepPrevious: true, refetchIntervalMs: 10_000 });
  const { data } = list;
  const columns = useColumns();
  return (
    <>
      <ScreenHeader title={t.title} hint={t.hint} />
      <Group mb="md" gap="sm">
        <ChoiceFilter
          name={t.state}
          any={t.anyState}
          choices={DELIVERY_STATES}
          words={t}
          value={state.state}
          onChange={(state) => change({ state })}
        />
        <ChoiceFilter
          name={t.what}
          any={t.anyChannel}
          choices={DELIVERY_CHANNELS}
          words={t}
          value={state.channel}
          onChange={(channel) => change({ channel })}
        />
      </Group>
      <RecordTable
        caption={t.title}
        columns={columns}
        records={data?.data}
        idOf={({ id }) => id}
        {...pagingOf(list, change)}
        empty={<EmptyState icon={IconSend} title={t.none} hint={t.noneHint} />}
      />
    </>
  );
};
export default Deliveries;
