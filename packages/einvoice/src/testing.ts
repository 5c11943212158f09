// What only the tests of this package import: production code uses the index.

export { RULES } from './check-einvoice.ts';
export type { Line, TaxTotal } from './invoice.ts';
export { ciiDay, compare, isoDay, multiply, parseDecimal, roundToCents, sum } from './values/values.ts';
export { LABEL_KEYS, labelOf } from './view/labels.ts';
