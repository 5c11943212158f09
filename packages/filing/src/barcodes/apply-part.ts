import { AppError, storableJson, storableText } from '@sheaf/contract';
import { labelName } from '@sheaf/contract/documents';
import { ledgerReason } from '@sheaf/contract/imports';
import type { BarcodeSettings } from '@sheaf/contract/sources';
import { type Db, labelsFor } from '@sheaf/db';
import { and, eq, sql } from '@sheaf/db/drizzle';
import { type Document, ingestLedger, sources } from '@sheaf/db/schema';
import { lockDocument, updateDocument } from '@sheaf/documents';
import { addLabelsToDocuments, createLabel, getLabel, listLabelNames, lockLabelTree } from '@sheaf/documents/labels';
import { recordEvent } from '@sheaf/events';
import { isWatchedRoute } from '@sheaf/vocabulary/documents';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';
import { MAX_ARCHIVE_NUMBER, MAX_LABEL_LEVELS } from '@sheaf/vocabulary/limits';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';

/** Adds to what the import log says of the file that a document was imported from. An imported library has no such entry. */
export const noteDocument = async (tx: Db, documentId: string, reason: LedgerReason): Promise<void> => {
  await tx
    .update(ingestLedger)
    .set({
      reason: storableText(reason.message),
      reasonCode: reason.code,
      reasonDetails: storableJson(reason.details),
      updatedAt: sql`now()`,
    })
    .where(and(eq(ingestLedger.documentId, documentId), eq(ingestLedger.state, 'ingested')));
};

/** What codes give a document. */
type Given = Pick<Part, 'archiveNumber' | 'invalidNumbers' | 'labels'>;

/** Nobody changes labels until the end of the transaction. It comes before all other locks, where there are any labels to give. */
export const holdLabels = async (tx: Db, parts: readonly Given[]): Promise<void> => {
  if (parts.some(({ labels }) => labels.length > 0)) await lockLabelTree(tx);
};

/**
 * Gives a document the archive number and the labels that the codes on its pages name; labels only within what its owner may do, and none
 * where the owner is disabled. A number that a person
 * has set or taken away stays, and one that another document has is not given twice. Returns why there is one that was not given.
 */
export const applyPart = async (
  tx: Db,
  owner: Principal | undefined,
  documentId: string,
  given: Given,
): Promise<LedgerReason | undefined> => {
  const document = await lockDocument(tx, documentId);
  const number = await giveNumber(tx, owner, document, given);
  const labels = owner && (await giveLabels(tx, owner, documentId, given));
  const changes = { ...(number.given === undefined ? {} : { archive_number: number.given }), ...(labels === undefined ? {} : { labels }) };
  if (Object.keys(changes).length > 0)
    await recordEvent(tx, { type: 'document_updated', document_id: documentId, changes }, document.ownerId);
  return number.reason;
};

/** The same for the parts of a stack; returns the texts of the numbers that could not be given. */
export const applyParts = async (
  tx: Db,
  owner: Principal | undefined,
  parts: readonly { readonly documentId: string; readonly given: Given }[],
): Promise<readonly string[]> => {
  const numbers: string[] = [];
  for (const { documentId, given } of parts) {
    const reason = await applyPart(tx, owner, documentId, given);
    if (reason !== undefined) numbers.push(String(reason.details['archive_number'] ?? reason.details['text']));
  }
  return numbers;
};

interface NumberOutcome {
  readonly given?: number;
  readonly reason?: LedgerReason;
}

const giveNumber = async (
  tx: Db,
  owner: Principal | undefined,
  document: Document,
  { archiveNumber, invalidNumbers }: Given,
): Promise<NumberOutcome> => {
  const [text] = invalidNumbers;
  const invalid = text === undefined ? {} : { reason: ledgerReason('archive_number_invalid', { text }) };
  if (archiveNumber === undefined || document.archiveNumber === archiveNumber) return invalid;
  if (document.archiveNumber !== null || document.confirmedFields.includes('archive_number')) return invalid;
  return (await isFree(tx, owner, document.id, archiveNumber))
    ? { ...invalid, given: archiveNumber }
    : { reason: ledgerReason('archive_number_taken', { archive_number: archiveNumber }) };
};

/** Gives the number; false where another document of the owner has it, or one that the owner may read. */
const isFree = async (tx: Db, owner: Principal | undefined, documentId: string, archiveNumber: number): Promise<boolean> => {
  try {
    await tx.transaction((attempt) => updateDocument(attempt, documentId, { archiveNumber }, owner));
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'ARCHIVE_NUMBER_TAKEN') return false;
    throw error;
  }
};

/** The names of all labels of the document, where it has more than before. */
const giveLabels = async (tx: Db, owner: Principal, documentId: string, { labels }: Given): Promise<string[] | undefined> => {
  const ids = await takeLabels(tx, owner, labels);
  const changed = ids.length === 0 ? new Set() : await addLabelsToDocuments(tx, [documentId], ids);
  return changed.size === 0 ? undefined : (await listLabelNames(tx, [documentId])).get(documentId);
};

const DEFAULT_COLOR = '#808080';

/**
 * The ids of the labels that these paths name, each from the topmost label down. A missing one is made where `owner` may make labels; a path
 * that leads to none that they may see or make gives nothing. The caller holds the tree of labels.
 */
const takeLabels = async (tx: Db, owner: Principal, paths: readonly (readonly string[])[]): Promise<string[]> => {
  const ids = new Set<string>();
  for (const path of paths) {
    const id = isNameable(path) ? await takeLabel(tx, owner, path) : undefined;
    if (id !== undefined) ids.add(id);
  }
  return [...ids];
};

const isNameable = (path: readonly string[]): boolean =>
  path.length <= MAX_LABEL_LEVELS && path.every((name) => labelName.safeParse(name).success);

const takeLabel = async (tx: Db, owner: Principal, path: readonly string[]): Promise<string | undefined> => {
  let upper: string | undefined;
  for (const name of path) {
    upper = (await findLabel(tx, owner, name)) ?? (await makeLabel(tx, owner, name, upper));
    if (upper === undefined) return undefined;
  }
  return upper;
};

/** Names are unique among those that they may see, wherever they hang: their own, or the oldest. */
const findLabel = async (tx: Db, owner: Principal, name: string): Promise<string | undefined> => {
  const { rows } = await tx.execute<{ id: string }>(sql`
    select id from labels where lower(name) = lower(${name}) and ${labelsFor(owner, 'labels.read')}
    order by coalesce(created_by = ${owner.userId}::uuid, false) desc, id limit 1 for key share`);
  return rows[0]?.id;
};

const makeLabel = async (tx: Db, owner: Principal, name: string, upper: string | undefined): Promise<string | undefined> => {
  if (scopeOf(owner.permissions, 'labels.create') === 'none') return undefined;
  const parent = upper === undefined ? undefined : await getLabel(tx, owner, upper);
  return (await createLabel(tx, { name, color: DEFAULT_COLOR, description: '' }, parent, owner)).id;
};

/** A document that a stack of pages contains. */
export interface Part {
  /** From 1, in the order of the stack. */
  readonly pages: readonly number[];
  readonly archiveNumber: number | undefined;
  readonly invalidNumbers: readonly string[];
  readonly labels: readonly (readonly string[])[];
}

const PLAIN: PageMeaning = { isSeparator: false, archiveNumber: undefined, invalidNumbers: [], labels: [] };

/**
 * The documents in a stack of `pageCount` pages; one where nothing splits it. A separator sheet begins a new one and is dropped, unless the
 * rules keep it; so does a page with an archive number that is not that of the document before it. Separators at the ends or in a row make no
 * document without pages, and a stack of nothing else stays as it is.
 */
export const planParts = (pageCount: number, pages: readonly CodedPage[], rules: BarcodeRules): readonly Part[] => {
  const meanings = new Map(pages.map((page) => [page.page, meaningOf(page, rules)]));
  const stack = new Stack(rules.keepSeparator);
  for (let page = 1; page <= pageCount; page += 1) stack.add(page, meanings.get(page) ?? PLAIN);
  const parts = stack.finish();
  const all = parts.length > 0 ? parts : [Array.from({ length: pageCount }, (_, at) => at + 1)];
  return all.map((own) => toPart(own, meanings));
};

class Stack {
  readonly #keepsSeparators: boolean;
  readonly #parts: number[][] = [];
  #current: number[] = [];
  /** Whether the current part has more than separators. */
  #hasContent = false;
  #number: number | undefined;

  constructor(keepsSeparators: boolean) {
    this.#keepsSeparators = keepsSeparators;
  }

  add(page: number, { isSeparator, archiveNumber }: PageMeaning): void {
    if (isSeparator) {
      this.#end();
      if (this.#keepsSeparators) this.#current.push(page);
      return;
    }
    if (archiveNumber !== undefined && archiveNumber !== this.#number) this.#end();
    this.#number = archiveNumber ?? this.#number;
    this.#current.push(page);
    this.#hasContent = true;
  }

  finish(): readonly (readonly number[])[] {
    this.#end();
    const last = this.#parts.at(-1);
    // sheets that were to begin one more stay with the last
    return last === undefined ? [] : [...this.#parts.slice(0, -1), [...last, ...this.#current]];
  }

  #end(): void {
    if (!this.#hasContent) return;
    this.#parts.push(this.#current);
    this.#current = [];
    this.#hasContent = false;
    this.#number = undefined;
  }
}

const toPart = (pages: readonly number[], meanings: ReadonlyMap<number, PageMeaning>): Part => {
  const own = pages.map((page) => meanings.get(page) ?? PLAIN);
  return { pages, ...together(own) };
};

/** The first archive number of several pages or parts, and all their labels. */
const together = (several: readonly Given[]): Given => ({
  archiveNumber: several.find(({ archiveNumber }) => archiveNumber !== undefined)?.archiveNumber,
  invalidNumbers: several.flatMap(({ invalidNumbers }) => invalidNumbers),
  labels: several.flatMap(({ labels }) => labels),
});

/** The parts of a stack that stays whole as one. */
export const mergeParts = (parts: readonly Part[]): Part => ({ pages: parts.flatMap(({ pages }) => pages), ...together(parts) });

/** Whether no code has anything to say of the part. */
export const isPlainPart = ({ archiveNumber, invalidNumbers, labels }: Part): boolean =>
  archiveNumber === undefined && invalidNumbers.length === 0 && labels.length === 0;

/** The texts of the codes on a page. */
export interface CodedPage {
  /** From 1. */
  readonly page: number;
  readonly texts: readonly string[];
}

/** What the codes of one page say. */
interface PageMeaning {
  readonly isSeparator: boolean;
  /** The first one on it. */
  readonly archiveNumber: number | undefined;
  /** Texts that begin like an archive number and are none, or one that is too large. */
  readonly invalidNumbers: readonly string[];
  /** Names from the topmost label down. */
  readonly labels: readonly (readonly string[])[];
}

/** A page has so many labels at most; the rest is not looked at. */
const MAX_LABELS = 20;

const meaningOf = ({ texts }: CodedPage, rules: BarcodeRules): PageMeaning => {
  const numbers: number[] = [];
  const invalidNumbers: string[] = [];
  const labels: (readonly string[])[] = [];
  let isSeparator = false;
  for (const text of texts) {
    if (rules.separator !== '' && text === rules.separator) isSeparator = true;
    else if (rules.asnPrefix !== '' && text.startsWith(rules.asnPrefix)) {
      const number = toArchiveNumber(text.slice(rules.asnPrefix.length));
      if (number === undefined) invalidNumbers.push(text);
      else numbers.push(number);
    } else if (rules.labelPrefix !== '' && text.startsWith(rules.labelPrefix)) {
      const path = toLabelPath(text.slice(rules.labelPrefix.length));
      if (path.length > 0 && labels.length < MAX_LABELS) labels.push(path);
    }
  }
  return { isSeparator, archiveNumber: numbers[0], invalidNumbers, labels };
};

/** Signs that label printers put between the prefix and the digits count for nothing. */
const toArchiveNumber = (text: string): number | undefined => {
  const digits = /^[\s:#._-]*(\d+)\s*$/.exec(text)?.[1];
  const number = Number(digits ?? 0);
  return number >= 1 && number <= MAX_ARCHIVE_NUMBER ? number : undefined;
};

const toLabelPath = (text: string): readonly string[] =>
  text
    .normalize('NFC')
    .split('/')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** What the codes of documents mean, by the way that they came. */
export interface ConfiguredRules {
  readonly rules: BarcodeRules;
  /** What is otherwise for files of watch folders. */
  readonly watched?: BarcodeSettings;
}

/** The rules for a document: those of the service, and what the source or the watch folder that it came from has otherwise. */
export const rulesFor = async (
  db: Db,
  { rules, watched }: ConfiguredRules,
  { source: route, sourceId }: Pick<Document, 'source' | 'sourceId'>,
): Promise<BarcodeRules> => {
  if (isWatchedRoute(route)) return withSettings(rules, watched);
  if (sourceId === null) return rules;
  const [source] = await db.select({ settings: sources.settings }).from(sources).where(eq(sources.id, sourceId));
  return withSettings(rules, source?.settings.barcodes);
};

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
const withSettings = (rules: BarcodeRules, settings: BarcodeSettings | null | undefined): BarcodeRules => ({
  enabled: settings?.enabled ?? rules.enabled,
  separator: settings?.separator ?? rules.separator,
  asnPrefix: settings?.asn_prefix ?? rules.asnPrefix,
  labelPrefix: settings?.label_prefix ?? rules.labelPrefix,
  keepSeparator: settings?.keep_separator ?? rules.keepSeparator,
});
