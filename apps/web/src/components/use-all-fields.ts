import { useQuery } from '@tanstack/react-query';
import { type Answer, call } from '../interface/call.ts';
import type { Problem } from '../interface/problem.ts';

export type CustomField = Answer<'get /api/fields'>['data'][number];

const PAGE = 100;
/** There are at most five hundred fields. */
const MOST_PAGES = 5;
const FRESH_MS = 60_000;
/** The same one each time, so that nothing is drawn again for it. */
const NONE: readonly CustomField[] = [];

const readAll = async (signal: AbortSignal): Promise<readonly CustomField[]> => {
  const all: CustomField[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const { data, pagination } = await call('get /api/fields', { query: { page, per_page: PAGE }, signal });
    all.push(...data);
    if (!pagination.has_next) break;
  }
  return all;
};

/** Every custom field, by name: documents name theirs, and only this tells their types. */
export const useAllFields = (): readonly CustomField[] => {
  const { data } = useQuery<readonly CustomField[], Problem>({
    queryKey: ['get /api/fields', 'all'],
    queryFn: ({ signal }) => readAll(signal),
    staleTime: FRESH_MS,
  });
  return data ?? NONE;
};
