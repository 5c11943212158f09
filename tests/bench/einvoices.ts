import { EinvoiceError, readEinvoice, validateEinvoice } from '@sheaf/einvoice';
import { compareFacts, type EinvoiceEntry, einvoiceCorpus, einvoiceXml, madeEinvoice } from '../support/einvoice-corpus.ts';
import { machineLine } from './machine.ts';
import { median } from './median.ts';

const HOSTILE_LIMIT_MS = 2_000;
/** Profiles that are invoices of EN 16931; the rules are not those of ZUGFeRD 1.0. */
const STANDARD = ['EN16931', 'XRECHNUNG', 'PEPPOL-BIS-3', 'BASIC', 'EXTENDED'];

interface Figures {
  files: number;
  whole: number;
  wanted: number;
  wrong: number;
  readonly milliseconds: number[];
  /** Files that upstream calls valid, and those of them that break a rule here. */
  valid: number;
  objected: number;
}

/** Fields of every e-invoice of the corpus, and how long it takes to refuse the hostile ones. */
export const run = async (): Promise<void> => {
  const entries = await einvoiceCorpus();
  if (entries === undefined) return;
  console.log(`E-invoices; ${machineLine()}`);
  await measureFields(entries.filter(({ kind }) => kind === 'einvoice-xml' || kind === 'einvoice-pdf'));
  await measureAbsent(entries.filter(({ kind }) => kind === 'pdf-without-einvoice'));
  await measureHostile(entries.filter(({ kind }) => kind === 'hostile'));
};

const measureFields = async (entries: readonly EinvoiceEntry[]): Promise<void> => {
  const figures: Figures = { files: 0, whole: 0, wanted: 0, wrong: 0, milliseconds: [], valid: 0, objected: 0 };
  for (const entry of entries) await countEntry(entry, figures);
  const { files, whole, wanted, wrong, milliseconds, valid, objected } = figures;
  console.log(
    `${whole} of ${files} files with all fields, ${wanted - wrong} of ${wanted} fields; median ${median(milliseconds)?.toFixed(1)} ms`,
  );
  console.log(`${valid - objected} of ${valid} files of EN 16931 that upstream calls valid break no rule here`);
  console.log(`${whole === files ? 'reached' : 'MISSED'}: every field of every file`);
};

const countEntry = async (entry: EinvoiceEntry, figures: Figures): Promise<void> => {
  const xml = await einvoiceXml(entry);
  const started = performance.now();
  const invoice = await readEinvoice(xml ?? new Uint8Array());
  figures.milliseconds.push(performance.now() - started);
  const { wanted, wrong } = compareFacts(entry, invoice);
  for (const line of wrong) console.log(`${entry.file}: ${line}`);
  figures.files += 1;
  figures.whole += wrong.length === 0 ? 1 : 0;
  figures.wanted += wanted;
  figures.wrong += wrong.length;
  if (entry.expect.valid !== true || invoice.document === 'ZUGFeRD 1' || !STANDARD.includes(invoice.profile ?? '')) return;
  const violations = validateEinvoice(invoice);
  figures.valid += 1;
  figures.objected += violations.length === 0 ? 0 : 1;
  for (const { code } of violations) console.log(`${entry.file}: ${code}`);
};

const measureAbsent = async (entries: readonly EinvoiceEntry[]): Promise<void> => {
  for (const entry of entries)
    console.log(`${(await einvoiceXml(entry)) === undefined ? 'reached' : 'MISSED'}: no e-invoice is found in ${entry.file}`);
};

const measureHostile = async (entries: readonly EinvoiceEntry[]): Promise<void> => {
  let slowestMs = 0;
  let refused = 0;
  for (const entry of entries) {
    const xml = entry.stored === false ? await madeEinvoice(entry) : await einvoiceXml(entry);
    const started = performance.now();
    const code = await refusalOf(xml ?? new Uint8Array());
    const ms = performance.now() - started;
    slowestMs = Math.max(slowestMs, ms);
    refused += code === undefined ? 0 : 1;
    console.log(`${entry.file}: ${code ?? 'read'} after ${ms.toFixed(0)} ms`);
  }
  const isReached = refused === entries.length && slowestMs < HOSTILE_LIMIT_MS;
  console.log(`${refused} of ${entries.length} hostile files refused, the slowest after ${slowestMs.toFixed(0)} ms`);
  console.log(`${isReached ? 'reached' : 'MISSED'}: all within ${HOSTILE_LIMIT_MS} ms`);
};

const refusalOf = async (xml: Uint8Array): Promise<string | undefined> => {
  try {
    await readEinvoice(xml);
    return undefined;
  } catch (error) {
    if (error instanceof EinvoiceError) return error.code;
    throw error;
  }
};
