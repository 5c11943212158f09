import { z } from 'zod';
import { corpusPath, readManifest } from './corpus.ts';

const barcodeCase = z.looseObject({
  case: z.string(),
  separator_text: z.string().optional(),
  asn_prefix: z.string().optional(),
  /** Regular expressions of Paperless-ngx. */
  tag_rule: z.string().optional(),
  tag_rules: z.array(z.string()).optional(),
  split_by_asn: z.boolean().optional(),
  split_by_tag: z.boolean().optional(),
  retain_separators: z.boolean().optional(),
  separators: z.array(z.number()).optional(),
  separators_kept: z.array(z.number()).optional(),
  documents: z.number().optional(),
  asn: z.number().nullish(),
  tags: z.array(z.string()).optional(),
});
export type BarcodeCase = z.infer<typeof barcodeCase>;

const barcodeEntry = z.looseObject({ file: z.string(), mime: z.string(), expect: z.looseObject({ cases: z.array(barcodeCase) }) });
export type BarcodeEntry = z.infer<typeof barcodeEntry> & { readonly path: string };

/** The scans with codes, or undefined, with the reason printed, where the corpus is absent. */
export const barcodeCorpus = (): BarcodeEntry[] | undefined =>
  readManifest('barcode', barcodeEntry)?.map((entry) => ({ ...entry, path: corpusPath('barcode', entry.file) }));
