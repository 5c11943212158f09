import { Stack, Text } from '@mantine/core';
import type { ImportBody } from '@sheaf/contract/imports';
import { IconListDetails, IconPackageImport } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Ago } from '../../components/ago.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { actionsColumn, type Column, RecordTable } from '../../components/record-table.tsx';
import { RowAction } from '../../components/row-action.tsx';
import { ScreenHeader } from '../../components/screen-header.tsx';
import { SmallNote } from '../../components/small-note.tsx';
import { useAddressState } from '../../interface/address-state.ts';
import { usePagedCall } from '../../interface/paged-call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { ImportReport, ImportState } from './import-report.tsx';
import { NewImport } from './new-import.tsx';

const REFRESH_MS = 5_000;

const useColumns = (onOpen: (id: string) => void): readonly Column<ImportBody>[] => {
  const t = useTranslate();
  const format = useFormat();
  return [
    {
      key: 'kind',
      title: t('imports.kind'),
      width: '30%',
      cell: ({ kind, name, filename, path, is_dry_run: isDry }) => (
        <Stack gap={0}>
          <Text size="sm" fw={500}>
            {t(`imports.kind.${kind}`)}
            {isDry && ` (${t('imports.dryRun')})`}
          </Text>
          <SmallNote className="stranger">{filename ?? path ?? name}</SmallNote>
        </Stack>
      ),
    },
    { key: 'state', title: t('imports.stateTitle'), cell: (run) => <ImportState run={run} /> },
    {
      key: 'documents',
      title: t('imports.documents'),
      isEmpty: ({ counts }) => counts === null,
      cell: ({ counts }) => counts !== null && <Text size="sm">{format.number(counts.documents.imported)}</Text>,
    },
    { key: 'created', title: t('imports.created'), cell: ({ created_at: at }) => <Ago at={at} /> },
    actionsColumn(t('imports.actions'), ({ id, filename, path, name }) => (
      <RowAction
        icon={IconListDetails}
        title={t('imports.report')}
        label={t('imports.reportOf', { name: filename ?? path ?? name })}
        onClick={() => onOpen(id)}
      />
    )),
  ];
};

/** Imports of the archives of other systems: a new one, what became of one, and all there were. */
const Imports = (): ReactNode => {
  const t = useTranslate();
  const [state, change] = useAddressState(['page', 'import']);
  const { import: shown, ...filter } = state;
  const { data, paging } = usePagedCall('get /api/imports', filter, change, { refetchIntervalMs: REFRESH_MS });
  const open = (id: string): void => change({ import: id });
  const columns = useColumns(open);
  const empty = <EmptyState icon={IconPackageImport} title={t('imports.none')} hint={t('imports.noneHint')} />;
  return (
    <>
      <ScreenHeader title={t('imports.title')} hint={t('imports.hint')} />
      <Stack gap="lg">
        {shown !== undefined && <ImportReport key={shown} id={shown} onStarted={open} />}
        <NewImport onStarted={open} />
        <RecordTable caption={t('imports.all')} columns={columns} {...paging} records={data?.data} empty={empty} />
      </Stack>
    </>
  );
};
export default Imports;
