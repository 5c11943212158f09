import { type Component, constant, type Logger, ThreadPool } from '@sheaf/process';
import type { EinvoiceLanguage } from '@sheaf/vocabulary/einvoices';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import type { ToolSize } from '../extraction.ts';
import { Poppler } from '../pdf/poppler.ts';
import { openScratch } from '../scratch.ts';
import type { EinvoiceAnswer, EinvoiceTask } from './einvoice-task.ts';
import { takeEmbeddedEinvoice } from './embedded-einvoice.ts';

export interface EinvoiceSource {
  /** An e-invoice, or a PDF that holds one. */
  readonly path: string;
  readonly mimeType: string;
  /** For files that are made on the way. */
  readonly scratchPath: string;
  readonly limits: ToolSize;
  readonly signal: AbortSignal;
}

/** What is asked of an e-invoice. */
export type EinvoiceQuestion =
  | { readonly want: 'view'; readonly language: EinvoiceLanguage }
  | { readonly want: 'attachment'; readonly number: number };

const MIB = 1024 * 1024;
/** Reading takes a second at most, whatever the document is. */
const TIMEOUT_MS = 20_000;
const MEMORY_BYTES = 384 * MIB;
const IDLE_MS = 30_000;

/**
 * What people see of e-invoices: their view, and what is embedded in them. Each is made anew of the stored file, in a thread with limits:
 * whatever an invoice does to its reader, this process answers everybody else meanwhile.
 */
export class EinvoiceFiles implements Component {
  readonly name = 'einvoice-files';
  readonly #log: Logger;
  readonly #pool: ThreadPool<EinvoiceTask, EinvoiceAnswer>;

  constructor({ threads }: { readonly threads: number }, log: Logger) {
    this.#log = log;
    const file = new URL('./einvoice-task.ts', import.meta.url);
    this.#pool = new ThreadPool({ file, threads: constant(threads), memoryBytes: MEMORY_BYTES, idleMs: IDLE_MS });
  }

  async start(): Promise<void> {} // threads come with the first question

  stop(): Promise<void> {
    return this.#pool.close();
  }

  /** The view as HTML, or an attachment. What is wrong with the document is the answer. Throws the signal's reason. */
  async make(source: EinvoiceSource, question: EinvoiceQuestion): Promise<EinvoiceAnswer> {
    await using scratch = await openScratch(source.scratchPath, 'einvoice');
    const path = await xmlOf(source, scratch.path);
    if (path === undefined) return { ok: false, problem: 'not_extracted' };
    const outcome = await this.#pool.run({ input: { path, ...question }, timeoutMs: TIMEOUT_MS, signal: source.signal });
    if (outcome.ok) return outcome.value;
    this.#log.warn({ reason: outcome.reason, err: outcome.error }, 'reading of an e-invoice failed');
    return { ok: false, problem: outcome.reason };
  }
}

const xmlOf = async ({ path, mimeType, limits, signal }: EinvoiceSource, scratchPath: string): Promise<string | undefined> => {
  const family = findKindByMimeType(mimeType)?.family;
  if (family === 'einvoice') return path;
  if (family !== 'pdf') return undefined;
  const poppler = await Poppler.open(path, scratchPath, limits);
  const taken = await (poppler && takeEmbeddedEinvoice(poppler, scratchPath, { timeoutMs: TIMEOUT_MS, signal }));
  return taken?.ok === true ? taken.path : undefined;
};
