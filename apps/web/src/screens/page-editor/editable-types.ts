/** Files whose pages can be edited; a picture becomes a PDF then. */
const EDITABLE: ReadonlySet<string> = new Set(['application/pdf', 'image/tiff', 'image/png', 'image/jpeg']);

export const hasEditablePages = (mimeType: string): boolean => EDITABLE.has(mimeType);
