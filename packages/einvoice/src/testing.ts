// What only the tests of this package import: production code uses the index.

export { RULES } from './check-einvoice.ts';
export type { Line, TaxTotal } from './invoice.ts';
export { ciiDay, isoDay } from './values/day.ts';
export { compare, multiply, parseDecimal, roundToCents, sum } from './values/decimal.ts';
export { LABEL_KEYS, labelOf } from './view/labels.ts';
