/** What documents state. */
export const FACT_KINDS = [
  'document_date',
  'due_date',
  'service_date',
  'total',
  'net',
  'tax',
  'currency',
  'iban',
  'vat_id',
  'invoice_number',
  'customer_number',
  'sender',
] as const;
export type FactKind = (typeof FACT_KINDS)[number];

/** To be raised when other facts are found in a text than before. Health then names the documents whose facts an earlier version found. */
export const FACTS_VERSION = 1;
