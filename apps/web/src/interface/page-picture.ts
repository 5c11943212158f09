/** The address of the picture of a page that fits into a square of `sizePx`; the service stores those of 200, 400, 800, 1,600 and 2,000 pixels. */
export const pagePicture = (documentId: string, page: number, sizePx: number): string =>
  `/api/documents/${documentId}/thumbnail?width=${sizePx}&height=${sizePx}${page === 1 ? '' : `&page=${page}`}`;
