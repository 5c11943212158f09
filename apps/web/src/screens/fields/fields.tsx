import { Anchor, Group, Text } from '@mantine/core';
import { IconArrowLeft, IconArrowMerge, IconForms, IconSearch } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { CreateButton } from '../../components/create-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FindField } from '../../components/find-field.tsx';
import { type Column, RecordTable } from '../../components/record-table.tsx';
import { EditAction, RemoveAction, RowAction } from '../../components/row-action.tsx';
import { ScreenHeader } from '../../components/screen-header.tsx';
import type { CustomField } from '../../components/use-all-fields.ts';
import { useAddressState } from '../../interface/address-state.ts';
import { usePagedCall } from '../../interface/paged-call.ts';
import { useTypedFilter } from '../../interface/typed-filter.ts';
import { useTranslate } from '../../language/language.tsx';
import { useSession } from '../../session/session.tsx';
import { DeleteField } from './delete-field.tsx';
import { FieldForm } from './field-form.tsx';
import { MergeField } from './merge-field.tsx';

/** The custom fields of the instance. */
const Fields = (): ReactNode => {
  const t = useTranslate();
  const mayChange = useSession().reach('settings.update') === 'all';
  const [edited, setEdited] = useState<CustomField | 'new'>();
  const [merged, setMerged] = useState<CustomField>();
  const [removed, setRemoved] = useState<CustomField>();
  const [state, change] = useAddressState(['q', 'page']);
  const [typed, type] = useTypedFilter(state.q, (q) => change({ q }, { replace: true }));
  const { paging } = usePagedCall('get /api/fields', state, change);

  const columns: readonly Column<CustomField>[] = [
    { key: 'name', title: t('customFields.name'), width: '35%', cell: ({ name }) => <span className="stranger">{name}</span> },
    { key: 'type', title: t('customFields.type'), cell: (field) => <Text size="sm">{t(`customFields.type.${field.type}`)}</Text> },
    {
      key: 'documents',
      title: t('customFields.documents'),
      cell: ({ document_count: count }) => <Text size="sm">{t('customFields.count', { count })}</Text>,
    },
    {
      key: 'actions',
      title: t('customFields.actions'),
      hasHiddenTitle: true,
      align: 'right',
      cell: (field) => {
        const { name } = field;
        return (
          mayChange && (
            <Group gap={4} justify="flex-end" wrap="nowrap">
              <EditAction title={t('customFields.edit')} label={t('customFields.editOf', { name })} onClick={() => setEdited(field)} />
              <RowAction
                icon={IconArrowMerge}
                title={t('filing.merge')}
                label={t('filing.mergeOf', { name })}
                onClick={() => setMerged(field)}
              />
              <RemoveAction
                title={t('customFields.remove')}
                label={t('customFields.removeOf', { name })}
                onClick={() => setRemoved(field)}
              />
            </Group>
          )
        );
      },
    },
  ];

  const createButton = mayChange && <CreateButton label={t('customFields.create')} onClick={() => setEdited('new')} />;
  const empty =
    state.q === undefined ? (
      <EmptyState icon={IconForms} title={t('customFields.none')} hint={t('customFields.noneHint')}>
        {createButton}
      </EmptyState>
    ) : (
      <EmptyState icon={IconSearch} title={t('customFields.noneFound')} />
    );
  return (
    <>
      <Anchor component={Link} href="/system" size="sm" mb="xs" style={{ display: 'inline-flex', alignItems: 'center', gap: 4 }}>
        <IconArrowLeft size={14} /> {t('system.title')}
      </Anchor>
      <ScreenHeader title={t('customFields.title')} hint={t('customFields.hint')}>
        {createButton}
      </ScreenHeader>
      <FindField label={t('customFields.find')} value={typed} onChange={type} mb="md" maw={420} />
      <RecordTable caption={t('customFields.title')} columns={columns} {...paging} empty={empty} />
      {edited !== undefined && <FieldForm field={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />}
      {merged !== undefined && <MergeField field={merged} onClose={() => setMerged(undefined)} />}
      {removed !== undefined && <DeleteField field={removed} onClose={() => setRemoved(undefined)} />}
    </>
  );
};
export default Fields;
