import { EINVOICE_LANGUAGES, EINVOICE_RULE_SETS, EINVOICE_SYNTAXES } from '@sheaf/vocabulary/einvoices';
import { z } from 'zod';
import { rowId } from '../page.ts';

const text = z.string().nullable();

const attachmentBody = z.strictObject({
  number: z.int().describe('From 1; for the address of the attachment'),
  name: text,
  description: text,
  mime_type: text.describe('As the sender states it'),
  size: z.int(),
  is_embedded: z.boolean().describe('False for links, and for attachments over the limits: they cannot be downloaded'),
});

export const einvoiceBody = z
  .strictObject({
    syntax: z.enum(EINVOICE_SYNTAXES),
    profile: text.describe('Such as XRECHNUNG, EN16931, EXTENDED; the identifier where the profile is not known'),
    number: text,
    type_code: text.describe('UNTDID 1001; 380 is an invoice, 381 a credit note'),
    issue_date: text,
    due_date: text,
    currency: text,
    grand_total: text.describe('With VAT; a decimal number as it is written in the invoice'),
    payable: text,
    seller: z.strictObject({ name: text, trading_name: text, vat_id: text, iban: text }),
    buyer: z.strictObject({ name: text }),
    is_valid: z.boolean().describe('Whether the invoice was checked and breaks none of the rules'),
    rules: z
      .enum(EINVOICE_RULE_SETS)
      .describe('What was checked: the business rules of EN 16931, or only the sums where the format is older (ZUGFeRD 1.0)'),
    violations: z.array(z.strictObject({ code: z.string(), message: z.string() })).describe('Rules that the invoice breaks, each once'),
    differences: z
      .array(z.strictObject({ field: z.string(), xml: z.string(), page: text }))
      .describe('Where the pages of the PDF do not state what the data does; page is what they state instead, where that was found'),
    attachments: z.array(attachmentBody),
  })
  .meta({ id: 'EInvoice' });
export type EinvoiceBody = z.infer<typeof einvoiceBody>;

export const einvoiceViewQuery = z.strictObject({ language: z.enum(EINVOICE_LANGUAGES).default('en').describe('Language of the labels') });

export const einvoiceAttachmentParams = z.strictObject({
  id: rowId,
  number: z.coerce.number().int().min(1).max(100),
});
