import { Anchor, Group, Stack, Text } from '@mantine/core';
import { INGEST_ROUTES, LEDGER_STATES } from '@sheaf/vocabulary/documents';
import { IconHistory } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { late } from '../../app/late.ts';
import { Ago } from '../../components/ago.tsx';
import { Mark } from '../../components/badges.tsx';
import { ChoiceFilter, FindField, useTypedFilter } from '../../components/list-filters.tsx';
import { type Column, RecordTable } from '../../components/record-table.tsx';
import { EmptyList, ScreenHeader } from '../../components/screen-parts.tsx';
import { SmallNote } from '../../components/small-note.tsx';
import { useAddressState } from '../../interface/address-state.ts';
import type { Answer } from '../../interface/call.ts';
import { usePagedCall } from '../../interface/paged-call.ts';
import { useTranslate, useTranslator } from '../../language/language.tsx';
import { withLaterMessages } from '../../language/load-translator.ts';
import { importLogReason } from '../../messages/import-log-reason.ts';

const SplitLinks = late(withLaterMessages(() => import('./split-links.tsx'))).Part;

type Entry = Answer<'get /api/ingest'>['data'][number];

const COLORS: Readonly<Record<Entry['state'], string>> = {
  waiting: 'gray',
  ingested: 'teal',
  split: 'teal',
  duplicate: 'blue',
  ignored: 'yellow',
  failed: 'red',
};

const useColumns = (): readonly Column<Entry>[] => {
  const translator = useTranslator();
  const { t, format } = translator;
  return [
    {
      key: 'file',
      title: t('importLogScreen.file'),
      cell: ({ filename, path, document_id: documentId }) => (
        <Stack gap={0}>
          {documentId === null ? (
            <Text size="sm" fw={500} className="stranger" lineClamp={4}>
              {filename}
            </Text>
          ) : (
            <Anchor component={Link} href={`/documents/${documentId}`} size="sm" fw={500} className="stranger" lineClamp={4}>
              {filename}
            </Anchor>
          )}
          {path !== filename && (
            <SmallNote className="stranger" lineClamp={4}>
              {path}
            </SmallNote>
          )}
        </Stack>
      ),
    },
    {
      key: 'state',
      title: t('importLogScreen.state'),
      cell: (entry) => (
        <Stack gap={4} align="flex-start">
          <Mark text={t(`importLogScreen.${entry.state}`)} color={COLORS[entry.state]} />
          {entry.reason !== null && (
            <Text size="xs" className="stranger" lineClamp={6}>
              {importLogReason(entry, translator)}
            </Text>
          )}
          {entry.state === 'split' && <SplitLinks details={entry.reason_details} />}
          {entry.moved_to !== null && <SmallNote className="stranger">{t('importLogScreen.movedTo', { path: entry.moved_to })}</SmallNote>}
        </Stack>
      ),
    },
    { key: 'route', title: t('importLogScreen.route'), isWhole: true, cell: ({ route }) => <Text size="sm">{t(`routes.${route}`)}</Text> },
    {
      key: 'size',
      title: t('importLogScreen.size'),
      align: 'right',
      isWhole: true,
      cell: ({ size_bytes: bytes }) => <Text size="sm">{bytes === null ? '–' : format.bytes(bytes)}</Text>,
    },
    {
      key: 'when',
      title: t('importLogScreen.when'),
      isWhole: true,
      cell: ({ updated_at: at }) => <Ago at={at} />,
    },
  ];
};

/** The ledger: every file that was seen, and why it is a document or not. */
const Ingest = (): ReactNode => {
  const t = useTranslate();
  const [state, change, bind] = useAddressState(['q', 'state', 'route', 'page']);
  const [typed, type] = useTypedFilter(state.q, (q) => change({ q }, { replace: true }));
  const { paging } = usePagedCall('get /api/ingest', state, change);
  const columns = useColumns();
  const isFiltered = state.q !== undefined || state.state !== undefined || state.route !== undefined;
  const empty = (
    <EmptyList
      icon={IconHistory}
      title={t('importLogScreen.none')}
      hint={t('importLogScreen.noneHint')}
      noneFound={isFiltered ? t('importLogScreen.noneFound') : undefined}
    />
  );
  return (
    <>
      <ScreenHeader title={t('importLogScreen.title')} hint={t('importLogScreen.hint')} />
      <Group mb="md" gap="sm">
        <FindField label={t('importLogScreen.find')} value={typed} onChange={type} style={{ flex: '1 1 220px' }} />
        <ChoiceFilter
          name={t('importLogScreen.state')}
          any={t('importLogScreen.anyState')}
          choices={LEDGER_STATES.map((value) => ({ value, label: t(`importLogScreen.${value}`) }))}
          {...bind('state')}
        />
        <ChoiceFilter
          name={t('importLogScreen.route')}
          any={t('importLogScreen.anyRoute')}
          choices={INGEST_ROUTES.map((value) => ({ value, label: t(`routes.${value}`) }))}
          {...bind('route')}
        />
      </Group>
      <RecordTable caption={t('importLogScreen.title')} columns={columns} {...paging} empty={empty} />
    </>
  );
};
export default Ingest;
