import { Button, Group, Stack, Text } from '@mantine/core';
import { DELIVERY_CHANNELS, DELIVERY_STATES } from '@sheaf/vocabulary/deliveries';
import { IconRefresh, IconSend } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Ago } from '../../components/ago.tsx';
import { Mark } from '../../components/badges.tsx';
import { ChoiceFilter } from '../../components/list-filters.tsx';
import { actionsColumn, type Column, RecordTable } from '../../components/record-table.tsx';
import { EmptyState, ScreenHeader } from '../../components/screen-parts.tsx';
import { SmallNote } from '../../components/small-note.tsx';
import { useNotifyProblem } from '../../components/use-notify-problem.ts';
import { useAddressState } from '../../interface/address-state.ts';
import { type Answer, useChange } from '../../interface/call.ts';
import { usePagedCall } from '../../interface/paged-call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { useSession } from '../../session/session.tsx';

type Delivery = Answer<'get /api/deliveries'>['data'][number];

const COLORS: Readonly<Record<Delivery['state'], string>> = { pending: 'gray', sending: 'blue', delivered: 'teal', failed: 'red' };

const useColumns = (): readonly Column<Delivery>[] => {
  const t = useTranslate();
  const format = useFormat();
  const notifyProblem = useNotifyProblem();
  const { may } = useSession();
  const retry = useChange('post /api/deliveries/{id}/retry', ['get /api/deliveries']);
  return [
    {
      key: 'what',
      title: t('deliveries.what'),
      cell: ({ type, channel }) => (
        <Stack gap={0}>
          <Text size="sm" fw={500}>
            {t(`notificationScreen.${type}`)}
          </Text>
          <SmallNote>{t(`deliveries.${channel}`)}</SmallNote>
        </Stack>
      ),
    },
    {
      key: 'to',
      title: t('deliveries.to'),
      width: '22%',
      cell: ({ recipient }) => (
        <Text size="sm" className="stranger" lineClamp={3}>
          {recipient ?? 'WEBHOOK_URL'}
        </Text>
      ),
    },
    {
      key: 'state',
      title: t('deliveries.state'),
      cell: ({ state, last_error: error, next_attempt_at: next }) => (
        <Stack gap={4} align="flex-start">
          <Mark text={t(`deliveries.${state}`)} color={COLORS[state]} />
          {error !== null && state !== 'delivered' && (
            <Text size="xs" className="stranger" lineClamp={6}>
              {error}
            </Text>
          )}
          {state === 'pending' && next !== null && <SmallNote>{t('deliveries.next', { when: format.ago(next) })}</SmallNote>}
        </Stack>
      ),
    },
    {
      key: 'attempts',
      title: t('deliveries.attempts'),
      cell: ({ attempts, max_attempts: most }) => (
        <Text size="sm">{t('deliveries.of', { done: format.number(attempts), most: format.number(most) })}</Text>
      ),
    },
    {
      key: 'when',
      title: t('deliveries.when'),
      isWhole: true,
      width: '16%',
      cell: ({ created_at: at }) => <Ago at={at} />,
    },
    actionsColumn(t('deliveries.actions'), ({ id, state }) =>
      state === 'failed' && may('settings.update') ? (
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconRefresh size={14} />}
          onClick={() => retry.mutate({ params: { id } }, { onError: notifyProblem })}
        >
          {t('deliveries.retry')}
        </Button>
      ) : null,
    ),
  ];
};

/** What left by e-mail and webhook. */
const Deliveries = (): ReactNode => {
  const t = useTranslate();
  const [state, change, bind] = useAddressState(['state', 'channel', 'page']);
  const { paging } = usePagedCall('get /api/deliveries', state, change, { refetchIntervalMs: 10_000 });
  const columns = useColumns();
  const empty = <EmptyState icon={IconSend} title={t('deliveries.none')} hint={t('deliveries.noneHint')} />;
  return (
    <>
      <ScreenHeader title={t('deliveries.title')} hint={t('deliveries.hint')} />
      <Group mb="md" gap="sm">
        <ChoiceFilter
          name={t('deliveries.state')}
          any={t('deliveries.anyState')}
          choices={DELIVERY_STATES.map((value) => ({ value, label: t(`deliveries.${value}`) }))}
          {...bind('state')}
        />
        <ChoiceFilter
          name={t('deliveries.what')}
          any={t('deliveries.anyChannel')}
          choices={DELIVERY_CHANNELS.map((value) => ({ value, label: t(`deliveries.${value}`) }))}
          {...bind('channel')}
        />
      </Group>
      <RecordTable caption={t('deliveries.title')} columns={columns} {...paging} empty={empty} />
    </>
  );
};
export default Deliveries;
