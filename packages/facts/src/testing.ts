export { readNumber, scanAmounts } from './amounts/scan-amounts.ts';
export { scanDates } from './dates/date-facts.ts';
export { scanIbans } from './number-facts.ts';
export { domainsIn, likenessOf } from './sender/correspondents.ts';
export { linesOf, PAGE_LIMITS } from './text/page-lines.ts';
export { splitIntoAtoms } from './text/phrases.ts';
