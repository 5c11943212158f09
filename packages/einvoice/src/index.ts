export { detectEinvoice, type EinvoiceKind } from './detect-einvoice.ts';
export { EINVOICE_ERROR_CODES, EinvoiceError, type EinvoiceErrorCode } from './einvoice-error.ts';
export type { Invoice } from './invoice.ts';
export { type EinvoiceLimits } from './limits.ts';
export { readEinvoice } from './read-einvoice.ts';
export { type Violation, validateEinvoice } from './validate-einvoice.ts';
export { einvoiceText } from './view/einvoice-text.ts';
export { VIEW_LANGUAGES, type ViewLanguage } from './view/labels.ts';
export { renderEinvoiceHtml } from './view/render-einvoice-html.ts';
