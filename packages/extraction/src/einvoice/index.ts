export { EINVOICE_STYLE } from '@sheaf/einvoice';
export { EinvoiceFiles, type EinvoiceQuestion } from './einvoice-files.ts';
export type { EinvoiceFile } from './einvoice-task.ts';
