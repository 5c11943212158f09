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
