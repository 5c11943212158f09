/** Languages in which e-invoices are shown. */
export const EINVOICE_LANGUAGES = ['en', 'de'] as const;
export type EinvoiceLanguage = (typeof EINVOICE_LANGUAGES)[number];

export const EINVOICE_SYNTAXES = ['UBL', 'CII'] as const;

/** What an invoice is checked against: the business rules of EN 16931, or its own sums where its format is older. */
export const EINVOICE_RULE_SETS = ['en16931', 'sums'] as const;

/** What an e-invoice states. Amounts are decimal numbers as they are written. */
export interface EinvoiceFacts {
  readonly syntax: (typeof EINVOICE_SYNTAXES)[number];
  /** The identifier as it is written where the profile is not known. */
  readonly profile: string | null;
  readonly number: string | null;
  readonly type_code: string | null;
  readonly issue_date: string | null;
  readonly due_date: string | null;
  readonly currency: string | null;
  readonly grand_total: string | null;
  readonly payable: string | null;
  readonly seller: {
    readonly name: string | null;
    readonly trading_name: string | null;
    readonly vat_id: string | null;
    readonly iban: string | null;
  };
  readonly buyer: { readonly name: string | null };
}

/** A document that is embedded in an e-invoice, or a link to one. */
export interface EinvoiceAttachment {
  /** From 1. */
  readonly number: number;
  readonly name: string | null;
  readonly description: string | null;
  readonly mime_type: string | null;
  readonly size: number;
  /** False for links, and for what is over the limits. */
  readonly is_embedded: boolean;
}

export interface EinvoiceViolation {
  /** The rule, such as `BR-CO-10`. */
  readonly code: string;
  readonly message: string;
}

/** An e-invoice with what was found out about it. */
export interface CheckedEinvoice {
  readonly invoice: EinvoiceFacts;
  readonly rules: (typeof EINVOICE_RULE_SETS)[number];
  readonly violations: readonly EinvoiceViolation[];
  readonly attachments: readonly EinvoiceAttachment[];
}

/** What a document holds: an e-invoice, or XML that is named like one and could not be read, with the reason. */
export type FoundEinvoice = { readonly ok: true; readonly einvoice: CheckedEinvoice } | { readonly ok: false; readonly problem: string };

/** Where the pages of a PDF do not state what its e-invoice does. */
export interface EinvoiceDifference {
  /** As the interface names it, such as `seller.iban`. */
  readonly field: string;
  readonly xml: string;
  /** What the pages state in its place, where that was found. */
  readonly page: string | null;
}
