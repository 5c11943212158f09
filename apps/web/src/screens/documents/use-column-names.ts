import { useMemo } from 'react';
import { useCall } from '../../interface/use-call.ts';
import { useMe, useSession } from '../../session/session.tsx';
import type { ColumnNames } from './column-text.ts';
import type { Column } from './document-columns.ts';

/** As for the filters, which ask the same. */
const MOST_NAMES = { query: { per_page: 100 } };
const FRESH_MS = 60_000;

/** The names that the columns of owners and sources need; asked for only where these are shown. */
export const useColumnNames = (columns: readonly Column[]): ColumnNames => {
  const { may } = useSession();
  const me = useMe();
  const users = useCall('get /api/users', MOST_NAMES, { enabled: columns.includes('owner') && may('users.read'), staleMs: FRESH_MS });
  const sources = useCall('get /api/sources', MOST_NAMES, {
    enabled: columns.includes('source') && may('sources.read'),
    staleMs: FRESH_MS,
  });
  return useMemo(() => {
    const nameOfUser = new Map([[me.id, me.username], ...(users.data?.data ?? []).map(({ id, username }) => [id, username] as const)]);
    const nameOfSource = new Map((sources.data?.sources ?? []).map(({ id, name }) => [id, name]));
    return { owner: (id) => nameOfUser.get(id), source: (id) => nameOfSource.get(id) };
  }, [me.id, me.username, users.data, sources.data]);
};
