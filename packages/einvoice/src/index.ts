export { checkEinvoice, type EinvoiceCheck, type RuleSet, type Violation, validateEinvoice } from './check-einvoice.ts';
export { EINVOICE_ERROR_CODES, EinvoiceError, type EinvoiceErrorCode } from './einvoice-error.ts';
export type { Invoice } from './invoice.ts';
export { type EinvoiceLimits } from './limits.ts';
export { detectEinvoice, type EinvoiceKind, readEinvoice } from './read-einvoice.ts';
export { VIEW_LANGUAGES, type ViewLanguage } from './view/labels.ts';
export { EINVOICE_STYLE, einvoiceText, renderEinvoiceHtml } from './view/render-einvoice-html.ts';
