import type { Invoice } from '../invoice.ts';
import { isGiven } from './rule.ts';

/** What EN 16931-1, 6.4.3 asks of one VAT category. */
export interface VatCategory {
  /** UNTDID 5305 (BT-151). */
  readonly code: string;
  /** Of the codes of its rules. */
  readonly prefix: string;
  readonly name: string;
  /** `one`: a single breakdown for all rates, which are zero or absent. `some`: one for each rate. */
  readonly breakdowns: 'one' | 'some';
  readonly rate: 'positive' | 'not negative' | 'zero' | 'absent';
  readonly needsReason: boolean;
  readonly identifiers: string;
  readonly hasIdentifiers: (invoice: Invoice) => boolean;
}

const hasVatId = ({ seller, taxRepresentative }: Invoice): boolean => isGiven(seller.vatId) || isGiven(taxRepresentative?.vatId);

const hasTaxId = (invoice: Invoice): boolean => hasVatId(invoice) || isGiven(invoice.seller.taxId);

const isTaxed = {
  breakdowns: 'some',
  needsReason: false,
  identifiers: 'a seller VAT identifier (BT-31), tax registration (BT-32) or tax representative VAT identifier (BT-63)',
  hasIdentifiers: hasTaxId,
} as const;

const isUntaxed = { ...isTaxed, breakdowns: 'one', rate: 'zero', needsReason: true } as const;

/** The Canary Islands and Ceuta and Melilla have rule codes of the validation artefacts, BR-AF and BR-AG. */
export const VAT_CATEGORIES: readonly VatCategory[] = [
  { ...isTaxed, code: 'S', prefix: 'BR-S', name: 'Standard rated', rate: 'positive' },
  { ...isUntaxed, code: 'Z', prefix: 'BR-Z', name: 'Zero rated', needsReason: false },
  { ...isUntaxed, code: 'E', prefix: 'BR-E', name: 'Exempt from VAT' },
  {
    ...isUntaxed,
    code: 'AE',
    prefix: 'BR-AE',
    name: 'Reverse charge',
    identifiers: `${isTaxed.identifiers}, and a buyer VAT identifier (BT-48) or legal registration (BT-47)`,
    hasIdentifiers: (invoice) => hasTaxId(invoice) && (isGiven(invoice.buyer.vatId) || isGiven(invoice.buyer.legalId)),
  },
  {
    ...isUntaxed,
    code: 'K',
    prefix: 'BR-IC',
    name: 'Intra-community supply',
    identifiers: 'a seller (BT-31) or tax representative (BT-63) VAT identifier, and a buyer VAT identifier (BT-48)',
    hasIdentifiers: (invoice) => hasVatId(invoice) && isGiven(invoice.buyer.vatId),
  },
  {
    ...isUntaxed,
    code: 'G',
    prefix: 'BR-G',
    name: 'Export outside the EU',
    identifiers: 'a seller (BT-31) or tax representative (BT-63) VAT identifier',
    hasIdentifiers: hasVatId,
  },
  {
    ...isUntaxed,
    code: 'O',
    prefix: 'BR-O',
    name: 'Not subject to VAT',
    rate: 'absent',
    identifiers: 'no VAT identifier of seller (BT-31), tax representative (BT-63) or buyer (BT-48)',
    hasIdentifiers: (invoice) => !hasVatId(invoice) && !isGiven(invoice.buyer.vatId),
  },
  { ...isTaxed, code: 'L', prefix: 'BR-AF', name: 'Canary Islands IGIC', rate: 'not negative' },
  { ...isTaxed, code: 'M', prefix: 'BR-AG', name: 'Ceuta and Melilla IPSI', rate: 'not negative' },
];
