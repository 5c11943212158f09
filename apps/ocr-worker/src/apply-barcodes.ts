import { findPrincipalOfUser } from '@sheaf/db/requester';
import type { Document } from '@sheaf/db/schema';
import { applyPart, holdLabels, noteDocument, type Part, planParts, rulesFor } from '@sheaf/filing/barcodes';
import { inSpan } from '@sheaf/process/tracing';
import { type ClaimedJob, recordProgress } from '@sheaf/queue';
import { SPLIT_FROM } from '@sheaf/vocabulary/documents';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';
import type { BarcodeDeps, FetchedFile } from './barcode-deps.ts';
import { splitAtBarcodes } from './split-at-barcodes.ts';

/**
 * A document is looked at once, while it is new: later its owner has had his say. What was imported with its library has its own, and a part was
 * looked at in the whole.
 */
const isNew = ({ version, completedAt, source, metadata }: Document): boolean =>
  version === 1 && completedAt === null && source !== 'import' && !(SPLIT_FROM in metadata);

/**
 * Gives a new document what the barcodes on its pages say, where they are read for it. `split`: it was several, which are in the queue, and the
 * job is over. A document whose codes cannot be had is processed without them. Throws LeaseLost before anything is written when the job is
 * someone else's.
 */
export const applyBarcodes = async (
  job: ClaimedJob,
  document: Document,
  file: FetchedFile,
  deps: BarcodeDeps,
  signal: AbortSignal,
): Promise<'split' | 'whole'> => {
  if (!isNew(document)) return 'whole';
  const rules = await rulesFor(deps.db, deps.barcodes, document);
  if (!rules.enabled) return 'whole';
  const request = { path: file.path, mimeType: document.mimeType, label: document.id, signal };
  const found = await inSpan('barcodes', {}, () => deps.extractor.findBarcodes(request));
  if (!found.ok) {
    if (found.reason !== 'not_supported') {
      await file.onFailure();
      deps.log.warn({ reason: found.reason }, 'barcodes could not be read, document is processed without them');
    }
    return 'whole';
  }
  const pages = found.pages.map(({ page, codes }) => ({ page, texts: codes.map(({ text }) => text) }));
  const parts = planParts(found.pageCount, pages, rules);
  const attempt = parts.length > 1 ? await splitAtBarcodes(job, document, file, parts, deps, signal) : undefined;
  if (attempt?.isSplit) return 'split';
  await applyWhole(job, document, { whole: wholeOf(parts), pageCount: found.pageCount, reason: attempt?.reason }, deps);
  return 'whole';
};

/** The first archive number of a stack, and all its labels. */
const wholeOf = (parts: readonly Part[]): Part => ({
  pages: parts.flatMap((part) => part.pages),
  archiveNumber: parts.find(({ archiveNumber }) => archiveNumber !== undefined)?.archiveNumber,
  invalidNumbers: parts.flatMap(({ invalidNumbers }) => invalidNumbers),
  labels: parts.flatMap(({ labels }) => labels),
});

interface WholeDocument {
  readonly whole: Part;
  readonly pageCount: number;
  /** Why it was not split, where it should have been. */
  readonly reason: LedgerReason | undefined;
}

const applyWhole = async (
  job: ClaimedJob,
  document: Document,
  { whole, pageCount, reason: unsplit }: WholeDocument,
  { db, barcodes }: BarcodeDeps,
): Promise<void> => {
  const isPlain = whole.archiveNumber === undefined && whole.invalidNumbers.length === 0 && whole.labels.length === 0;
  if (isPlain && unsplit === undefined) return;
  const owner = await findPrincipalOfUser(db, barcodes.roles, document.ownerId);
  await db.transaction(async (tx) => {
    await holdLabels(tx, [whole]);
    await recordProgress(tx, job, { done: 0, total: pageCount });
    const numberReason = await applyPart(tx, owner, document.id, whole);
    const reason = unsplit ?? numberReason;
    if (reason !== undefined) await noteDocument(tx, document.id, reason);
  });
};
