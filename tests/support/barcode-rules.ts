import type { BarcodeRules } from '@sheaf/filing/barcodes';
import { CONFIGURED_ROLES } from './built-in-roles.ts';

/** What barcodes mean for a worker; without rules they are not read. */
export const barcodesBy = (rules: Partial<BarcodeRules> = { enabled: false }) => ({
  rules: { enabled: true, separator: 'PATCHT', asnPrefix: 'ASN', labelPrefix: 'LABEL:', keepSeparator: false, ...rules },
  roles: CONFIGURED_ROLES,
});
