import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Invoice } from '@sheaf/einvoice';
import { compare, parseDecimal } from '@sheaf/einvoice/testing';
import { z } from 'zod';
import { corpusPath } from './corpus.ts';

const FOLDER = 'einvoice';
const PROGRAM_LIMIT_MS = 60_000;

const FIELDS = [
  'syntax',
  'document',
  'profile',
  'profile_id',
  'number',
  'type_code',
  'issue_date',
  'due_date',
  'currency',
  'grand_total',
  'payable',
  'seller_name',
  'seller_trading_name',
  'buyer_name',
  'buyer_trading_name',
  'iban',
] as const;
type Field = (typeof FIELDS)[number];
const AMOUNTS: readonly Field[] = ['grand_total', 'payable'];

const entrySchema = z.looseObject({
  file: z.string(),
  kind: z.enum(['einvoice-xml', 'einvoice-pdf', 'pdf-without-einvoice', 'hostile']),
  stored: z.boolean().optional(),
  expect: z.looseObject({
    ...Object.fromEntries(FIELDS.map((field) => [field, z.string().optional()])),
    valid: z.boolean().nullish(),
    must_not_contain: z.array(z.string()).optional(),
  }),
});
export type EinvoiceEntry = z.infer<typeof entrySchema>;

/** The e-invoices with what they hold, or undefined, with the reason printed, where the corpus is absent. */
export const einvoiceCorpus = async (): Promise<EinvoiceEntry[] | undefined> => {
  const manifest = corpusPath(FOLDER, 'manifest.json');
  if (existsSync(manifest)) return z.array(entrySchema).parse(JSON.parse(await readFile(manifest, 'utf8')));
  process.stderr.write(`skipped: there is no ${manifest}\n`);
  return undefined;
};

const runProgram = promisify(execFile);

/** The XML of an entry: the file, or what is embedded in the PDF; undefined where nothing is. */
export const einvoiceXml = async ({ file }: EinvoiceEntry): Promise<Buffer | undefined> => {
  const path = corpusPath(FOLDER, file);
  if (!file.endsWith('.pdf')) return readFile(path);
  return inFolder(async (folder) => {
    await runProgram('pdfdetach', ['-saveall', '-o', folder, path], { timeout: PROGRAM_LIMIT_MS });
    const [embedded] = (await readdir(folder)).filter((name) => name.toLowerCase().endsWith('.xml'));
    return embedded === undefined ? undefined : readFile(join(folder, embedded));
  });
};

/** A hostile file that is too large to be stored, as the generator of the corpus writes it. */
export const madeEinvoice = async ({ file }: EinvoiceEntry): Promise<Buffer> =>
  inFolder(async (folder) => {
    await runProgram('python3', [corpusPath(FOLDER, 'make_hostile.py'), folder], { timeout: PROGRAM_LIMIT_MS });
    return readFile(join(folder, file));
  });

const inFolder = async <T>(work: (folder: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-einvoice-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const factsOf = (invoice: Invoice): Readonly<Record<Field, string | undefined>> => ({
  syntax: invoice.syntax,
  document: invoice.document,
  profile: invoice.profile,
  profile_id: invoice.profileId,
  number: invoice.number,
  type_code: invoice.typeCode,
  issue_date: invoice.issueDate,
  due_date: invoice.dueDate,
  currency: invoice.currency,
  grand_total: invoice.totals.grandTotal,
  payable: invoice.totals.payable,
  seller_name: invoice.seller.name,
  seller_trading_name: invoice.seller.tradingName,
  buyer_name: invoice.buyer.name,
  buyer_trading_name: invoice.buyer.tradingName,
  iban: invoice.seller.iban,
});

const isSame = (field: Field, wanted: string, found: string | undefined): boolean => {
  if (!AMOUNTS.includes(field)) return wanted === found;
  const [a, b] = [parseDecimal(wanted), parseDecimal(found)];
  return a !== undefined && b !== undefined && compare(a, b) === 0;
};

/** How many fields an entry names, and which of them an invoice gives otherwise, with what was wanted and found. */
export const compareFacts = ({ expect }: EinvoiceEntry, invoice: Invoice): { wanted: number; wrong: string[] } => {
  const facts = factsOf(invoice);
  const named = FIELDS.flatMap((field) => {
    const wanted = expect[field];
    return typeof wanted === 'string' ? [{ field, wanted, found: facts[field] }] : [];
  });
  const wrong = named.filter(({ field, wanted, found }) => !isSame(field, wanted, found));
  return { wanted: named.length, wrong: wrong.map(({ field, wanted, found }) => `${field}: ${wanted} <> ${found ?? 'nothing'}`) };
};
