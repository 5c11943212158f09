import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const CORPUS = join(import.meta.dirname, '../../../shared/corpus');

export const corpusPath = (folder: string, file: string): string => join(CORPUS, folder, file);

const officeEntry = z.looseObject({
  file: z.string(),
  expect: z.looseObject({ phrase: z.string(), match: z.string().optional() }),
});
export type OfficeEntry = z.infer<typeof officeEntry>;

const badEntry = z.looseObject({
  file: z.string(),
  kind: z.string(),
  bytes: z.number(),
  expect: z.looseObject({
    outcome: z.enum(['accept', 'reject', 'either']),
    phrase: z.string().optional(),
    must_not_contain: z.array(z.string()).optional(),
  }),
});
export type BadEntry = z.infer<typeof badEntry>;

const mailEntry = z.looseObject({
  file: z.string(),
  expect: z.looseObject({
    outcome: z.string().optional(),
    subject: z.string().nullish(),
    date_utc: z.string().nullish(),
    body_contains: z.string().nullish(),
    attachments: z
      .array(z.looseObject({ name: z.string().nullable(), inline: z.boolean().optional(), sha256: z.string().optional() }))
      .optional(),
  }),
});
export type MailEntry = z.infer<typeof mailEntry>;

/** The entries of a manifest, or undefined, with the reason printed, where the corpus is absent. */
export const readManifest = <T>(folder: string, entry: z.ZodType<T>, file = 'manifest.json'): T[] | undefined => {
  const manifest = corpusPath(folder, file);
  if (!existsSync(manifest)) {
    process.stderr.write(`skipped: there is no ${manifest}\n`);
    return undefined;
  }
  return z.array(entry).parse(JSON.parse(readFileSync(manifest, 'utf8')));
};

/** The documents with a known phrase each. */
export const officeCorpus = (): OfficeEntry[] | undefined => readManifest('office', officeEntry);

/** The broken and hostile files, with what may become of them. */
export const badCorpus = (): BadEntry[] | undefined => readManifest('bad', badEntry);

const receiptEntry = z.object({
  file: z.string(),
  expect: z.object({
    ground_truth: z.string(),
    company: z.string(),
    date: z.string(),
    date_order: z.enum(['DMY', 'MDY', 'YMD']),
    total: z.string(),
  }),
});
export type ReceiptEntry = z.infer<typeof receiptEntry>;

/** The receipts whose facts are known. */
export const receiptCorpus = (): ReceiptEntry[] | undefined =>
  readManifest('facts', z.looseObject({ kind: z.string() }))
    ?.filter(({ kind }) => kind === 'receipt-facts')
    .map((entry) => receiptEntry.parse(entry));

const dateText = z.object({
  id: z.string(),
  languages: z.array(z.string()),
  text: z.string(),
  date_order: z.enum(['DMY', 'MDY', 'YMD']),
  filename: z.string().optional(),
  filename_date_order: z.enum(['DMY', 'MDY', 'YMD']).nullish(),
  ignore_dates: z.array(z.string()).optional(),
  reference_date: z.string().optional(),
  expect: z.object({
    dates: z.array(z.string()),
    first: z.string().nullable(),
    mode: z.enum(['all', 'any-order', 'first']),
    also_fine: z.array(z.string()).optional(),
  }),
});
export type DateText = z.infer<typeof dateText>;

/** Short texts with the dates that are in them. */
export const dateTexts = (): DateText[] | undefined => readManifest('facts', dateText, 'dates.json');

/** A text of the corpus that is known to be there. */
export const readCorpusText = (folder: string, file: string): string => readFileSync(corpusPath(folder, file), 'utf8');

/** Messages with what they say. */
export const mailCorpus = (): MailEntry[] | undefined => readManifest('mail', mailEntry);
