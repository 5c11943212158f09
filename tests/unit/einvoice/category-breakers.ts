import type { Invoice } from '@sheaf/einvoice';
import type { TaxTotal } from '@sheaf/einvoice/testing';
import type { Breaker } from './rule-breakers.ts';

interface Category {
  readonly code: string;
  readonly prefix: string;
  readonly rate: string | undefined;
  /** The VAT on 100.00. */
  readonly tax: string;
  readonly wrongRate: string | undefined;
  readonly reason: string | undefined;
}

const UNTAXED = { rate: '0', tax: '0', wrongRate: '1', reason: 'Not taxed' };

export const CATEGORIES: readonly Category[] = [
  { code: 'S', prefix: 'BR-S', rate: '19', tax: '19.00', wrongRate: '0', reason: undefined },
  { ...UNTAXED, code: 'Z', prefix: 'BR-Z', reason: undefined },
  { ...UNTAXED, code: 'E', prefix: 'BR-E' },
  { ...UNTAXED, code: 'AE', prefix: 'BR-AE' },
  { ...UNTAXED, code: 'K', prefix: 'BR-IC' },
  { ...UNTAXED, code: 'G', prefix: 'BR-G' },
  { ...UNTAXED, code: 'O', prefix: 'BR-O', rate: undefined, wrongRate: '0' },
  { code: 'L', prefix: 'BR-AF', rate: '7', tax: '7.00', wrongRate: '-7', reason: undefined },
  { code: 'M', prefix: 'BR-AG', rate: '4', tax: '4.00', wrongRate: undefined, reason: undefined },
];

/** The invoice with all of it in one VAT category, keeping every rule. */
export const inCategory = (invoice: Invoice, { code, rate, tax, reason }: Category): Invoice => {
  const [line] = invoice.lines;
  const breakdown: TaxTotal = { category: code, rate, taxable: '100.00', amount: tax, exemptionReason: reason, exemptionCode: undefined };
  const vatId = code === 'O' ? undefined : 'DE123456789';
  const total = String(100 + Number(tax));
  return {
    ...invoice,
    seller: { ...invoice.seller, vatId, legalId: 'HRB 1' },
    buyer: { ...invoice.buyer, vatId },
    deliveryDate: '2026-03-01',
    deliveryAddress: invoice.buyer.address,
    lines: line === undefined ? [] : [{ ...line, tax: { category: code, rate } }],
    taxes: [breakdown],
    totals: { ...invoice.totals, tax, grandTotal: total, payable: total },
  };
};

const withTax =
  (changes: Partial<TaxTotal>): Breaker =>
  (invoice) => ({ ...invoice, taxes: invoice.taxes.map((one) => ({ ...one, ...changes })) });

const withAdjustment =
  (isCharge: boolean, category: string, rate: string | undefined): Breaker =>
  (invoice) => ({
    ...invoice,
    adjustments: [
      { isCharge, amount: '0', base: undefined, percent: undefined, reason: 'a', reasonCode: undefined, tax: { category, rate } },
    ],
  });

const withLine =
  (category: string, rate: string | undefined): Breaker =>
  (invoice) => ({
    ...invoice,
    lines: invoice.lines.map((line) => ({ ...line, tax: { category, rate } })),
  });

/** Takes away what the category asks for: identifiers, or gives those that it forbids. */
const withWrongIdentifiers =
  (code: string): Breaker =>
  (invoice) => {
    const vatId = code === 'O' ? 'DE123456789' : undefined;
    return { ...invoice, seller: { ...invoice.seller, vatId, taxId: undefined }, buyer: { ...invoice.buyer, vatId, legalId: undefined } };
  };

const both =
  (first: Breaker, second: Breaker): Breaker =>
  (invoice) =>
    second(first(invoice));

/** Breakers of the ten rules that each VAT category has, for an invoice in that category. */
export const breakersOf = ({ code, prefix, rate, wrongRate, reason }: Category): Readonly<Record<string, Breaker>> => ({
  [`${prefix}-01`]: (invoice) => ({ ...invoice, taxes: [] }),
  [`${prefix}-02`]: withWrongIdentifiers(code),
  [`${prefix}-03`]: both(withWrongIdentifiers(code), withAdjustment(false, code, rate)),
  [`${prefix}-04`]: both(withWrongIdentifiers(code), withAdjustment(true, code, rate)),
  [`${prefix}-05`]: withLine(code, wrongRate),
  [`${prefix}-06`]: withAdjustment(false, code, wrongRate),
  [`${prefix}-07`]: withAdjustment(true, code, wrongRate),
  [`${prefix}-08`]: withTax({ taxable: '90.00' }),
  [`${prefix}-09`]: withTax({ amount: '50.00' }),
  [`${prefix}-10`]: withTax({ exemptionReason: reason === undefined ? 'Not taxed' : undefined }),
});

/** What only one category asks for. */
export const SPECIAL_BREAKERS: Readonly<Record<string, readonly [code: string, breaker: Breaker]>> = {
  'BR-IC-11': ['K', (invoice) => ({ ...invoice, deliveryDate: undefined })],
  'BR-IC-12': ['K', (invoice) => ({ ...invoice, deliveryAddress: undefined })],
  'BR-O-11': [
    'O',
    (invoice) => ({ ...invoice, taxes: [...invoice.taxes, ...invoice.taxes.map((one) => ({ ...one, category: 'E', rate: '0' }))] }),
  ],
  'BR-O-12': ['O', withLine('E', '0')],
  'BR-O-13': ['O', withAdjustment(false, 'E', '0')],
  'BR-O-14': ['O', withAdjustment(true, 'E', '0')],
};
