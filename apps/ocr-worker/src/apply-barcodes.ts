import { applyPart, type BarcodeRules, findOwner, holdLabels, type Part, planParts, rulesFor } from '@sheaf/barcodes';
import type { Db } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import type { Extractor } from '@sheaf/extraction';
import { type ClaimedJob, recordProgress } from '@sheaf/ocr-queue';
import type { Logger } from '@sheaf/process';
import { inSpan } from '@sheaf/process/tracing';
import type { ConfiguredRoles } from '@sheaf/vocabulary/permissions';

export interface BarcodeDeps {
  readonly db: Db;
  readonly log: Logger;
  readonly extractor: Pick<Extractor, 'findBarcodes'>;
  readonly barcodes: { readonly rules: BarcodeRules; readonly roles: ConfiguredRoles };
}

/** A document is looked at once, while it is new: later its owner has had his say. What was imported with its library has its own. */
const isNew = ({ version, completedAt, source }: Document): boolean => version === 1 && completedAt === null && source !== 'import';

/**
 * Gives a new document what the barcodes on its pages say, where they are read for it. `path` is its file. A document whose codes cannot be had
 * is processed without them. Throws LeaseLost before anything is written when the job is someone else's.
 */
export const applyBarcodes = async (
  job: ClaimedJob,
  document: Document,
  path: string,
  deps: BarcodeDeps,
  signal: AbortSignal,
): Promise<void> => {
  if (!isNew(document)) return;
  const rules = await rulesFor(deps.db, deps.barcodes.rules, document);
  if (!rules.enabled) return;
  const request = { path, mimeType: document.mimeType, label: document.id, signal };
  const found = await inSpan('barcodes', {}, () => deps.extractor.findBarcodes(request));
  if (!found.ok) {
    if (found.reason !== 'not_supported')
      deps.log.warn({ reason: found.reason }, 'barcodes could not be read, document is processed without them');
    return;
  }
  const pages = found.pages.map(({ page, codes }) => ({ page, texts: codes.map(({ text }) => text) }));
  await applyWhole(job, document, wholeOf(planParts(found.pageCount, pages, rules)), found.pageCount, deps);
};

/** The first archive number of a stack, and all its labels. */
const wholeOf = (parts: readonly Part[]): Part => ({
  pages: parts.flatMap((part) => part.pages),
  archiveNumber: parts.find(({ archiveNumber }) => archiveNumber !== undefined)?.archiveNumber,
  invalidNumbers: parts.flatMap(({ invalidNumbers }) => invalidNumbers),
  labels: parts.flatMap(({ labels }) => labels),
});

const applyWhole = async (
  job: ClaimedJob,
  document: Document,
  whole: Part,
  pageCount: number,
  { db, barcodes }: BarcodeDeps,
): Promise<void> => {
  if (whole.archiveNumber === undefined && whole.invalidNumbers.length === 0 && whole.labels.length === 0) return;
  const owner = await findOwner(db, barcodes.roles, document.ownerId);
  if (owner === undefined) return;
  await db.transaction(async (tx) => {
    await holdLabels(tx, [whole]);
    await recordProgress(tx, job, { done: 0, total: pageCount });
    await applyPart(tx, owner, document.id, whole);
  });
};
