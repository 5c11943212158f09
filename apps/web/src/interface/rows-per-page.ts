import { useCall } from './use-call.ts';

/** How many rows the lists of pages have, as the user chose it; undefined until that is known, and where it cannot be learned. */
export const useRowsPerPage = (): { readonly perPage: number | undefined; readonly isSettled: boolean } => {
  const { data, error } = useCall('get /api/settings', {}, { staleMs: Number.POSITIVE_INFINITY });
  return { perPage: data?.items_per_page, isSettled: data !== undefined || error !== null };
};
