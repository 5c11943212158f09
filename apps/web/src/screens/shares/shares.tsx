import { Anchor, Text } from '@mantine/core';
import type { ShareBody } from '@sheaf/contract/documents';
import { IconLinkOff, IconShare } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Mark } from '../../components/badges.tsx';
import { RowAction } from '../../components/buttons.tsx';
import { type Column, RecordTable } from '../../components/record-table.tsx';
import { EmptyState, ScreenHeader } from '../../components/screen-parts.tsx';
import { useNotifyProblem } from '../../components/use-notify-problem.ts';
import { useAddressState } from '../../interface/address-state.ts';
import { useChange } from '../../interface/call.ts';
import { usePagedCall } from '../../interface/paged-call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';

type Share = ShareBody;

const COLORS = { active: 'teal', expired: 'gray', revoked: 'red' } as const;

const subjectPath = ({ document_id: document, saved_search_id: search }: Share): string =>
  document === null ? `/saved-searches/${search ?? ''}` : `/documents/${document}`;

const Subject = ({ share }: { readonly share: Share }): ReactNode => {
  const t = useTranslate();
  const { title } = share;
  if (title === null)
    return (
      <Text size="sm" c="dimmed">
        {t('shares.hidden')}
      </Text>
    );
  return (
    <Anchor component={Link} href={subjectPath(share)} size="sm" className="stranger">
      {title}
    </Anchor>
  );
};

/** The share links of the user; those of everybody for administrators. */
const Shares = (): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const notifyProblem = useNotifyProblem();
  const [state, change] = useAddressState(['page']);
  const { data, paging } = usePagedCall('get /api/shares', state, change);
  const revoke = useChange('delete /api/shares/{id}', ['get /api/shares']);
  const columns: readonly Column<Share>[] = [
    { key: 'subject', title: t('shares.subject'), width: '30%', cell: (share) => <Subject share={share} /> },
    { key: 'state', title: t('shares.state'), cell: ({ state: is }) => <Mark text={t(`shares.${is}`)} color={COLORS[is]} /> },
    {
      key: 'accesses',
      title: t('shares.accesses'),
      cell: ({ access_count: count, last_accessed_at: at }) => (
        <Text size="sm" title={at === null ? undefined : format.dateTime(at)}>
          {format.number(count)}
          {at !== null && ` · ${format.ago(at)}`}
        </Text>
      ),
    },
    {
      key: 'allows',
      title: t('shares.protected'),
      isEmpty: ({ has_password: has, allow_download: allows }) => !has && !allows,
      cell: ({ has_password: has, allow_download: allows }) => (
        <>
          {has && <Mark text={t('shares.protected')} />} {allows && <Mark text={t('shares.downloadable')} />}
        </>
      ),
    },
    { key: 'expires', title: t('shares.expires'), cell: ({ expires_at: at }) => <Text size="sm">{format.dateTime(at)}</Text> },
    {
      key: 'creator',
      title: t('shares.creator'),
      cell: ({ created_by: creator }) => (
        <Text size="sm" className="stranger">
          {creator.name}
        </Text>
      ),
    },
    {
      key: 'actions',
      title: t('shares.actions'),
      hasHiddenTitle: true,
      align: 'right',
      isEmpty: ({ state: is }) => is !== 'active',
      cell: ({ id, title, state: is }) =>
        is === 'active' && (
          <RowAction
            icon={IconLinkOff}
            title={t('shares.revoke')}
            label={t('shares.revokeOf', { name: title ?? t('shares.hidden') })}
            isRemoval
            onClick={() => revoke.mutate({ params: { id } }, { onError: notifyProblem })}
          />
        ),
    },
  ];
  const empty = <EmptyState icon={IconShare} title={t('shares.none')} hint={t('shares.noneHint')} />;
  return (
    <>
      <ScreenHeader title={t('shares.title')} hint={t('shares.hint')} />
      <RecordTable caption={t('shares.title')} columns={columns} {...paging} records={data?.data} empty={empty} />
    </>
  );
};
export default Shares;
