import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { useEvents } from '../../events/events.tsx';
import { refresh, useCall } from '../../interface/call.ts';
import { useMe, useSession } from '../../session/session.tsx';
import type { SavedSearch } from './saved-address.ts';

/** Results are not counted more often, however many documents change. */
const AT_MOST_EVERY_MS = 30_000;
const COLLECT_MS = 1_000;

const keyOf = (user: string): string => `sheaf-pins-${user}`;

/** Whether this browser showed pinned searches to the user before, so that there is a place for them while they are loaded. */
export const hadPins = (user: string): boolean => {
  try {
    return localStorage.getItem(keyOf(user)) !== null;
  } catch {
    return false;
  }
};
const keepHasPins = (user: string, has: boolean): void => {
  try {
    if (has) localStorage.setItem(keyOf(user), '1');
    else localStorage.removeItem(keyOf(user));
  } catch {
    // no storage: then their place is not kept
  }
};

/** The pinned searches of the user, in their order; undefined while they are loaded. */
export const usePinned = (): readonly SavedSearch[] | undefined => {
  const { may } = useSession();
  const { id } = useMe();
  const { data } = useCall(
    'get /api/saved-searches',
    { query: { pinned: 'true', per_page: 100 } },
    { enabled: may('search.query'), staleMs: AT_MOST_EVERY_MS },
  );
  const pinned = useMemo(() => data?.data.toSorted((one, other) => (one.position ?? 0) - (other.position ?? 0)), [data]);
  useEffect(() => {
    if (pinned !== undefined) keepHasPins(id, pinned.length > 0);
  }, [pinned, id]);
  return pinned;
};

/** Has results counted again when documents change. */
export const useFreshCounts = (): void => {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const lastAt = useRef(Number.NEGATIVE_INFINITY);
  useEvents(({ type, data }) => {
    const isEnd = type === 'ocr_progress' && data['status'] === 'completed';
    if (!isEnd && type !== 'document_updated' && type !== 'document_deleted') return;
    timer.current ??= setTimeout(
      () => {
        timer.current = undefined;
        lastAt.current = Date.now();
        void refresh(client, ['get /api/saved-searches']);
      },
      Math.max(COLLECT_MS, lastAt.current + AT_MOST_EVERY_MS - Date.now()),
    );
  });
  useEffect(() => () => clearTimeout(timer.current), []);
};
