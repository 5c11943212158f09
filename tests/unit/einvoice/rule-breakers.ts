import type { Invoice } from '@sheaf/einvoice';
import type { Line, TaxTotal } from '@sheaf/einvoice/testing';

/** A change to an invoice that keeps every rule, by the code of the rule that it breaks. */
export type Breaker = (invoice: Invoice) => Invoice;

type Adjustment = Invoice['adjustments'][number];

const change =
  (changes: Partial<Invoice>): Breaker =>
  (invoice) => ({ ...invoice, ...changes });

const seller =
  (changes: Partial<Invoice['seller']>): Breaker =>
  (invoice) => ({ ...invoice, seller: { ...invoice.seller, ...changes } });
const buyer =
  (changes: Partial<Invoice['buyer']>): Breaker =>
  (invoice) => ({ ...invoice, buyer: { ...invoice.buyer, ...changes } });
const totals =
  (changes: Partial<Invoice['totals']>): Breaker =>
  (invoice) => ({ ...invoice, totals: { ...invoice.totals, ...changes } });
const line =
  (changes: Partial<Line>): Breaker =>
  (invoice) => ({ ...invoice, lines: invoice.lines.map((one) => ({ ...one, ...changes })) });
const tax =
  (changes: Partial<TaxTotal>): Breaker =>
  (invoice) => ({ ...invoice, taxes: invoice.taxes.map((one) => ({ ...one, ...changes })) });

const representative =
  (changes: Partial<Invoice['buyer']>): Breaker =>
  (invoice) => ({
    ...invoice,
    taxRepresentative: { ...invoice.buyer, ...changes },
  });

const ADJUSTMENT: Adjustment = {
  isCharge: false,
  amount: '0',
  base: '0',
  percent: undefined,
  reason: 'Discount',
  reasonCode: undefined,
  tax: { category: 'S', rate: '19' },
};

const adjustment = (changes: Partial<Adjustment>): Breaker => change({ adjustments: [{ ...ADJUSTMENT, ...changes }] });
const lineAdjustment = (changes: Partial<Adjustment>): Breaker => line({ adjustments: [{ ...ADJUSTMENT, ...changes }] });

const means =
  (changes: Partial<Invoice['paymentMeans'][number]>): Breaker =>
  (invoice) => ({
    ...invoice,
    paymentMeans: invoice.paymentMeans.map((one) => ({ ...one, ...changes })),
  });

const ADDRESS = { lines: [], city: undefined, postcode: undefined, subdivision: undefined, country: undefined };
const NO_PERIOD = { start: undefined, end: undefined };
const BACKWARDS = { start: '2026-03-02', end: '2026-03-01' };
const NO_REASON = { reason: undefined };
const NO_SCHEME = { id: 'a', scheme: undefined };
const PRECISE = '0.001';
const ATTACHMENT = {
  reference: undefined,
  description: undefined,
  uri: undefined,
  name: 'a',
  mimeType: 'text/csv',
  size: 1,
  bytes: undefined,
};

/** Of all rules but those that each VAT category has. */
export const BREAKERS: Readonly<Record<string, Breaker>> = {
  'BR-01': change({ profileId: undefined }),
  'BR-02': change({ number: undefined }),
  'BR-03': change({ issueDate: undefined }),
  'BR-04': change({ typeCode: undefined }),
  'BR-05': change({ currency: undefined }),
  'BR-06': seller({ name: undefined }),
  'BR-07': buyer({ name: undefined }),
  'BR-08': seller({ address: undefined }),
  'BR-09': seller({ address: ADDRESS }),
  'BR-10': buyer({ address: undefined }),
  'BR-11': buyer({ address: ADDRESS }),
  'BR-12': totals({ lines: undefined }),
  'BR-13': totals({ net: undefined }),
  'BR-14': totals({ grandTotal: '1,00' }),
  'BR-15': totals({ payable: undefined }),
  'BR-16': change({ lines: [] }),
  'BR-17': (invoice) => ({ ...invoice, payee: { ...invoice.buyer, name: undefined } }),
  'BR-18': representative({ name: undefined }),
  'BR-19': representative({ address: undefined }),
  'BR-20': representative({ address: ADDRESS }),
  'BR-21': line({ id: undefined }),
  'BR-22': line({ quantity: undefined }),
  'BR-23': line({ unit: undefined }),
  'BR-24': line({ netAmount: undefined }),
  'BR-25': line({ name: undefined }),
  'BR-26': line({ netPrice: undefined }),
  'BR-27': line({ netPrice: '-0.01' }),
  'BR-28': line({ grossPrice: '-0.01' }),
  'BR-29': change({ period: BACKWARDS }),
  'BR-30': line({ period: BACKWARDS }),
  'BR-31': adjustment({ amount: undefined }),
  'BR-32': adjustment({ tax: { category: undefined, rate: undefined } }),
  'BR-33': adjustment(NO_REASON),
  'BR-36': adjustment({ isCharge: true, amount: undefined }),
  'BR-37': adjustment({ isCharge: true, tax: { category: undefined, rate: undefined } }),
  'BR-38': adjustment({ isCharge: true, ...NO_REASON }),
  'BR-41': lineAdjustment({ amount: undefined }),
  'BR-42': lineAdjustment(NO_REASON),
  'BR-43': lineAdjustment({ isCharge: true, amount: undefined }),
  'BR-44': lineAdjustment({ isCharge: true, ...NO_REASON }),
  'BR-45': tax({ taxable: undefined }),
  'BR-46': tax({ amount: undefined }),
  'BR-47': tax({ category: undefined }),
  'BR-48': tax({ rate: undefined }),
  'BR-49': means({ code: undefined }),
  'BR-50': means({ accounts: [{ id: undefined, isIban: false, name: undefined, bic: undefined }] }),
  'BR-51': means({ cardNumber: '4111111111111111' }),
  'BR-52': change({ attachments: [ATTACHMENT] }),
  'BR-53': change({ taxCurrency: 'DKK' }),
  'BR-54': line({ itemAttributes: [{ name: 'Colour', value: undefined }] }),
  'BR-55': change({ precedingInvoices: [undefined] }),
  'BR-56': representative({ vatId: undefined }),
  'BR-57': change({ deliveryAddress: ADDRESS }),
  'BR-61': means({ accounts: [] }),
  'BR-62': seller({ electronicAddress: NO_SCHEME }),
  'BR-63': buyer({ electronicAddress: NO_SCHEME }),
  'BR-64': line({ standardItemId: NO_SCHEME }),
  'BR-65': line({ classifications: [NO_SCHEME] }),
  'BR-CO-03': change({ taxPointDate: '2026-03-14', taxPointCode: '35' }),
  'BR-CO-04': line({ tax: { category: undefined, rate: '19' } }),
  'BR-CO-09': seller({ vatId: '123456789' }),
  'BR-CO-10': totals({ lines: '100.01' }),
  'BR-CO-11': totals({ allowances: '0.01' }),
  'BR-CO-12': totals({ charges: '0.01' }),
  'BR-CO-13': totals({ net: '99.99' }),
  'BR-CO-14': totals({ tax: '19.01' }),
  'BR-CO-15': totals({ grandTotal: '119.01' }),
  'BR-CO-16': totals({ prepaid: '0.01' }),
  'BR-CO-17': tax({ amount: '20.00' }),
  'BR-CO-18': change({ taxes: [] }),
  'BR-CO-19': change({ period: NO_PERIOD }),
  'BR-CO-20': line({ period: NO_PERIOD }),
  'BR-CO-21': adjustment(NO_REASON),
  'BR-CO-22': adjustment({ isCharge: true, ...NO_REASON }),
  'BR-CO-23': lineAdjustment(NO_REASON),
  'BR-CO-24': lineAdjustment({ isCharge: true, ...NO_REASON }),
  'BR-CO-25': change({ dueDate: undefined, paymentTerms: undefined }),
  'BR-CO-26': seller({ vatId: undefined }),
  'BR-DEC-01': adjustment({ amount: PRECISE }),
  'BR-DEC-02': adjustment({ base: PRECISE }),
  'BR-DEC-05': adjustment({ isCharge: true, amount: PRECISE }),
  'BR-DEC-06': adjustment({ isCharge: true, base: PRECISE }),
  'BR-DEC-09': totals({ lines: PRECISE }),
  'BR-DEC-10': totals({ allowances: PRECISE }),
  'BR-DEC-11': totals({ charges: PRECISE }),
  'BR-DEC-12': totals({ net: PRECISE }),
  'BR-DEC-13': totals({ tax: PRECISE }),
  'BR-DEC-14': totals({ grandTotal: PRECISE }),
  'BR-DEC-15': totals({ taxInTaxCurrency: PRECISE }),
  'BR-DEC-16': totals({ prepaid: PRECISE }),
  'BR-DEC-17': totals({ rounding: PRECISE }),
  'BR-DEC-18': totals({ payable: PRECISE }),
  'BR-DEC-19': tax({ taxable: PRECISE }),
  'BR-DEC-20': tax({ amount: PRECISE }),
  'BR-DEC-23': line({ netAmount: PRECISE }),
  'BR-DEC-24': lineAdjustment({ amount: PRECISE }),
  'BR-DEC-25': lineAdjustment({ base: PRECISE }),
  'BR-DEC-27': lineAdjustment({ isCharge: true, amount: PRECISE }),
  'BR-DEC-28': lineAdjustment({ isCharge: true, base: PRECISE }),
  'BR-CL-01': change({ typeCode: '999' }),
  'BR-CL-04': change({ currency: 'EURO' }),
  'BR-CL-05': change({ taxCurrency: 'XYZ' }),
  'BR-CL-14': buyer({ address: { ...ADDRESS, country: 'Germany' } }),
  'BR-CL-17': line({ tax: { category: 'X', rate: '19' } }),
  'BR-B-01': tax({ category: 'B' }),
  'BR-B-02': (invoice) => ({ ...invoice, taxes: [...invoice.taxes, ...invoice.taxes.map((one) => ({ ...one, category: 'B' }))] }),
};
