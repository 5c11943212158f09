/** Where a document opens at the page of its best hit. */
export const hitAddress = (hit: { readonly document_id: string; readonly page: number | null }, query: string): string => {
  const address = new URLSearchParams({ ...(hit.page === null ? {} : { page: String(hit.page) }), q: query });
  return `/documents/${hit.document_id}?${address}`;
};
