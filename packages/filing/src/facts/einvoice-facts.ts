import { stripEnd } from '@sheaf/contract';
import type { Fact, FoundFacts } from '@sheaf/facts';
import type { EinvoiceFacts } from '@sheaf/vocabulary/einvoices';
import { FACT_KINDS, type FactKind } from '@sheaf/vocabulary/facts';
import { MIN_SENDER_CONFIDENCE } from './fact-rows.ts';

const RULE = 'einvoice';

/** Facts have two decimals; further ones are kept where they say something. */
const toAmount = (text: string): string => {
  const [whole = '0', decimals = ''] = text.split('.');
  return `${whole}.${decimals.slice(0, 2).padEnd(2, '0')}${stripEnd(decimals.slice(2), '0')}`;
};

/** What the data of an invoice states, by kind. */
const statedBy = (invoice: EinvoiceFacts): readonly (readonly [FactKind, string | null])[] => [
  ['document_date', invoice.issue_date],
  ['due_date', invoice.due_date],
  ['total', invoice.grand_total === null ? null : toAmount(invoice.grand_total)],
  ['currency', invoice.currency],
  ['iban', invoice.seller.iban],
  ['vat_id', invoice.seller.vat_id],
  ['invoice_number', invoice.number],
  ['sender', invoice.seller.name],
];

/** The fact as the data states it, in its place on the page where the page states it too. */
const toFact = (kind: FactKind, value: string, candidates: readonly Fact[]): Fact => {
  const ofKind = candidates.filter((fact) => fact.kind === kind);
  const same = ofKind.find((fact) => fact.value === value);
  // who the sender is known as is found by its numbers and names, as on any page
  const known = ofKind.find((fact) => fact.correspondentId !== undefined && fact.confidence >= MIN_SENDER_CONFIDENCE);
  const correspondentId = kind === 'sender' ? known?.correspondentId : undefined;
  return { page: undefined, box: undefined, ...same, kind, value, confidence: 1, rule: RULE, isAmbiguous: false, correspondentId };
};

/** The facts with those of the data of an e-invoice before all others of their kind: they are no readings that may be wrong. */
export const withEinvoice = (found: FoundFacts, invoice: EinvoiceFacts): FoundFacts => {
  const stated = statedBy(invoice).flatMap(([kind, value]) => (value === null ? [] : [toFact(kind, value, found.candidates)]));
  const isStated = (fact: Fact): boolean => stated.some(({ kind, value }) => fact.kind === kind && fact.value === value);
  const candidates = [...stated, ...found.candidates.filter((fact) => !isStated(fact))];
  return { facts: FACT_KINDS.flatMap((kind) => candidates.find((fact) => fact.kind === kind) ?? []), candidates };
};
