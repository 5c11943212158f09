import type { BarcodeSettings } from '@sheaf/contract/sources';

/** What barcodes on pages mean. An empty text turns its meaning off. */
export interface BarcodeRules {
  readonly enabled: boolean;
  /** The whole text of the code on a separator sheet. */
  readonly separator: string;
  /** What the text of an archive number begins with. */
  readonly asnPrefix: string;
  /** What the text of a label begins with. */
  readonly labelPrefix: string;
  /** Whether a separator sheet becomes the first page of the part behind it. */
  readonly keepSeparator: boolean;
}

/** The rules of the service with what a source or a watch folder has otherwise. */
export const withSettings = (rules: BarcodeRules, settings: BarcodeSettings | null | undefined): BarcodeRules => ({
  enabled: settings?.enabled ?? rules.enabled,
  separator: settings?.separator ?? rules.separator,
  asnPrefix: settings?.asn_prefix ?? rules.asnPrefix,
  labelPrefix: settings?.label_prefix ?? rules.labelPrefix,
  keepSeparator: settings?.keep_separator ?? rules.keepSeparator,
});
