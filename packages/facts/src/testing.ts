export { readNumber } from './amounts/read-number.ts';
export { scanAmounts } from './amounts/scan-amounts.ts';
export { scanDates } from './dates/scan-dates.ts';
export { scanIbans } from './numbers/iban.ts';
export { domainsIn } from './sender/domains.ts';
export { likenessOf } from './sender/known-names.ts';
export { splitIntoAtoms } from './text/atoms.ts';
export { linesOf, PAGE_LIMITS } from './text/page-lines.ts';
