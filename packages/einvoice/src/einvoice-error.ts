export const EINVOICE_ERROR_CODES = [
  'not_einvoice',
  'doctype_refused',
  'entity_refused',
  'too_large',
  'too_deep',
  'truncated',
  'wrong_encoding',
  'not_well_formed',
] as const;
export type EinvoiceErrorCode = (typeof EINVOICE_ERROR_CODES)[number];

/** Why bytes were not read as an e-invoice. Callers switch on `code`; the message is for people and never holds text of the document. */
export class EinvoiceError extends Error {
  override readonly name = 'EinvoiceError';
  readonly code: EinvoiceErrorCode;

  constructor(code: EinvoiceErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
