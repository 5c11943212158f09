import { useQuery } from '@tanstack/react-query';
import { call } from '../interface/call.ts';
import type { Problem } from '../interface/problem.ts';
import { useSession } from '../session/session.tsx';
import type { Label } from './label-picker.tsx';
import { readAllLabels } from './read-all-labels.ts';

const PAGE = 100;
const FRESH_MS = 60_000;
/** The same one each time, so that nothing is drawn again for it. */
const NONE: readonly Label[] = [];

/** Every label that the user may see: documents and facets name theirs, and only this tells their colours and ids. */
export const useAllLabels = (): readonly Label[] => {
  const { may } = useSession();
  const { data } = useQuery<readonly Label[], Problem>({
    queryKey: ['get /api/labels', 'all'],
    queryFn: ({ signal }) => readAllLabels((page) => call('get /api/labels', { query: { page, per_page: PAGE }, signal })),
    enabled: may('labels.read'),
    staleTime: FRESH_MS,
  });
  return data ?? NONE;
};
