import type { Invoice, Party } from '../invoice.ts';
import { type Rule, rule } from './rule.ts';

/** Of UNTDID 1001 what EN 16931 takes for an invoice or a credit note. */
const TYPE_CODES = new Set(
  `71 80 81 82 83 84 102 130 202 203 204 211 218 219 261 262 295 296 308 325 326 331 380 381 382 383 384 385 386 387 388 389 390 393
   394 395 396 420 456 457 458 471 472 473 500 501 502 503 527 532 553 575 623 633 751 780 817 870 875 876 877 935`.split(/\s+/),
);
/** Of UNTDID 5305. L and M are the Canary Islands and Ceuta and Melilla, B is the split payment of Italy. */
const CATEGORIES = new Set(['S', 'Z', 'E', 'AE', 'K', 'G', 'O', 'L', 'M', 'B']);
const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));
const COUNTRY = /^[A-Z]{2}$/;
const COUNTRY_NAMES = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
/** Kosovo, which has no code of ISO 3166-1. */
const KOSOVO = ['1A', 'XK'];
/** Greece and Northern Ireland, whose VAT identifiers have other prefixes. */
const VAT_PREFIXES = ['EL', 'XI'];

const isCountry = (code: string | undefined): boolean =>
  code === undefined || KOSOVO.includes(code) || (COUNTRY.test(code) && COUNTRY_NAMES.of(code) !== undefined);

const isCurrency = (code: string | undefined): boolean => code === undefined || CURRENCIES.has(code);

const hasCountryPrefix = (party: Party | undefined): boolean => {
  const prefix = party?.vatId?.slice(0, 2);
  return prefix === undefined || VAT_PREFIXES.includes(prefix) || isCountry(prefix);
};

const countriesOf = ({ seller, buyer, taxRepresentative, deliveryAddress }: Invoice): (string | undefined)[] =>
  [seller.address, buyer.address, taxRepresentative?.address, deliveryAddress].map((address) => address?.country);

const categoriesOf = ({ lines, adjustments, taxes }: Invoice): (string | undefined)[] => [
  ...lines.map(({ tax }) => tax.category),
  ...adjustments.map(({ tax }) => tax.category),
  ...taxes.map(({ category }) => category),
];

/** BR-CL: values are of their code lists. Lists that change often or are very long are left to the receiver's own check. */
export const CODE_RULES: readonly Rule[] = [
  rule(
    'BR-CL-01',
    'The invoice type code (BT-3) is one of UNTDID 1001 for invoices.',
    ({ typeCode }) => typeCode === undefined || TYPE_CODES.has(typeCode),
  ),
  rule('BR-CL-04', 'The invoice currency code (BT-5) is one of ISO 4217.', ({ currency }) => isCurrency(currency)),
  rule('BR-CL-05', 'The VAT accounting currency code (BT-6) is one of ISO 4217.', ({ taxCurrency }) => isCurrency(taxCurrency)),
  rule('BR-CL-14', 'Country codes are of ISO 3166-1.', (invoice) => countriesOf(invoice).every(isCountry)),
  rule('BR-CL-17', 'VAT category codes are of UNTDID 5305.', (invoice) =>
    categoriesOf(invoice).every((category) => category === undefined || CATEGORIES.has(category)),
  ),
  rule('BR-CO-09', 'A VAT identifier (BT-31, BT-48, BT-63) begins with a country code.', ({ seller, buyer, taxRepresentative }) =>
    [seller, buyer, taxRepresentative].every(hasCountryPrefix),
  ),
];
