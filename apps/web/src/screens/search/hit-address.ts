import type { Hit } from './search-hit.tsx';

/** Where a document opens at the page of its best hit. */
export const hitAddress = (hit: Pick<Hit, 'document_id' | 'page'>, query: string): string => {
  const address = new URLSearchParams({ ...(hit.page === null ? {} : { page: String(hit.page) }), q: query });
  return `/documents/${hit.document_id}?${address}`;
};
