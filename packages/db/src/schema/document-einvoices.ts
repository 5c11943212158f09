import {
  EINVOICE_RULE_SETS,
  type EinvoiceAttachment,
  type EinvoiceDifference,
  type EinvoiceFacts,
  type EinvoiceViolation,
} from '@sheaf/vocabulary/einvoices';
import { check, jsonb, pgTable, sql, text, uuid } from '../drizzle.ts';
import { documentIds } from './documents.ts';

/** What documents are or hold as e-invoices. */
export const documentEinvoices = pgTable(
  'document_einvoices',
  {
    documentId: uuid('document_id')
      .primaryKey()
      .references(() => documentIds.id, { onDelete: 'cascade' }),
    /** Null where it could not be read. */
    invoice: jsonb('invoice').$type<EinvoiceFacts>(),
    rules: text('rules', { enum: EINVOICE_RULE_SETS }),
    violations: jsonb('violations').$type<readonly EinvoiceViolation[]>().notNull().default([]),
    attachments: jsonb('attachments').$type<readonly EinvoiceAttachment[]>().notNull().default([]),
    /** Where the pages do not state what the XML does. */
    differences: jsonb('differences').$type<readonly EinvoiceDifference[]>().notNull().default([]),
    /** Why it could not be read. */
    error: text('error'),
  },
  (t) => [
    check('document_einvoices_rules_check', sql`${t.rules} in ('en16931', 'sums')`),
    check(
      'document_einvoices_read_check',
      sql`(${t.invoice} is null) = (${t.rules} is null) and (${t.invoice} is null) = (${t.error} is not null)`,
    ),
  ],
);
