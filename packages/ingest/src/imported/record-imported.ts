import type { Db } from '@sheaf/db';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import { CONTENT_EXCERPT_CHARACTERS } from '@sheaf/vocabulary/limits';
import type { IngestDeps, IngestSettings } from '../incoming-file.ts';
import { ingestEvent } from '../note-file.ts';
import { findByHashes, type ImportedRow, insertImported, lockBytes } from '../queries/imported.ts';
import { recordRefusal } from '../record.ts';
import { type Arrival, BytesVanished, type Recorder, type StoredAt } from '../take-in.ts';
import { GroupCommit } from './group-commit.ts';
import type { Alongside, ImportedDocument, ImportedFile, ImportedResult } from './imported-file.ts';
import { storePreview } from './store-preview.ts';

/** Documents of one transaction. */
const MAX_TOGETHER = 50;

interface Stored<F extends ImportedFile> {
  readonly arrival: Arrival<F>;
  readonly stored: StoredAt;
  readonly isSigned: boolean;
}

/** Writes the search entries of documents. */
export type IndexDocuments = (tx: Db, documentIds: readonly string[]) => Promise<void>;

type Recorded = Exclude<ImportedResult, { readonly outcome: 'refused' }>;

const excerptOf = (pages: readonly string[]): string =>
  Array.from(
    pages
      .filter((page) => page !== '')
      .slice(0, 20)
      .map((page) => page.slice(0, 2 * CONTENT_EXCERPT_CHARACTERS))
      .join(' '),
  )
    .slice(0, CONTENT_EXCERPT_CHARACTERS)
    .join('')
    .toWellFormed();

const toRow = ({ arrival, stored, isSigned }: Stored<ImportedFile>, settings: IngestSettings): ImportedRow => ({
  ownerId: arrival.ownerId,
  title: arrival.title,
  filename: arrival.filename,
  mimeType: arrival.mimeType,
  sizeBytes: arrival.received.sizeBytes,
  sha256: arrival.received.sha256,
  filePath: stored.filePath,
  language: arrival.language,
  defaultLanguage: settings.defaultLanguage,
  maxAttempts: settings.maxAttempts,
  ledgerPath: arrival.ledgerPath,
  importedFrom: arrival.importedFrom,
  addedAt: arrival.addedAt,
  modifiedAt: arrival.modifiedAt,
  filing: arrival.filing,
  isSigned,
  text: arrival.text && { ...arrival.text, excerpt: excerptOf(arrival.text.pages) },
  events: (documentId) => [
    { type: 'document_created', document_id: documentId, title: arrival.title, source: 'import' },
    ingestEvent(arrival, { state: 'ingested' }),
  ],
});

/** Files without text are looked into when they are processed. */
const findIsSigned = async ({ isSigned }: IngestDeps, { mimeType, text, received, signal }: Arrival<ImportedFile>): Promise<boolean> =>
  text !== undefined && findKindByMimeType(mimeType)?.family === 'pdf' && (await isSigned?.(received.content, signal)) === true;

/** Writes down files of an archive, those that arrive at the same time in one transaction; `index` writes the search entries of documents. */
export class ImportedRecorder<F extends ImportedFile> implements Recorder<F, ImportedResult> {
  readonly #alongside: Alongside<F>;
  readonly #index: IndexDocuments;
  readonly #commit: GroupCommit<Stored<F>, Recorded>;

  constructor(deps: IngestDeps, alongside: Alongside<F>, index: IndexDocuments) {
    this.#alongside = alongside;
    this.#index = index;
    this.#commit = new GroupCommit((group) => deps.db.transaction((tx) => this.#record(tx, deps, group)), MAX_TOGETHER);
  }

  async arrival(deps: IngestDeps, arrival: Arrival<F>, stored: StoredAt): Promise<ImportedResult> {
    await storePreview(deps, arrival);
    return this.#commit.add({ arrival, stored, isSigned: await findIsSigned(deps, arrival) });
  }

  async refusal(...[deps, file, refusal, received]: Parameters<Recorder<F, ImportedResult>['refusal']>): Promise<ImportedResult> {
    await recordRefusal(deps, file, refusal, received);
    return { outcome: 'refused', ...refusal };
  }

  async #record(tx: Db, { storage, settings }: IngestDeps, group: readonly Stored<F>[]): Promise<Recorded[]> {
    await lockBytes(
      tx,
      group.map(({ arrival }) => arrival.received.sha256),
    );
    // Whoever removes bytes holds the lock alone: those that are here now are here when we commit.
    const found = await Promise.all(group.map(({ stored }) => storage.stat(stored.key)));
    for (const [at, { stored }] of group.entries()) if (found[at] === undefined) throw new BytesVanished(stored.key);
    const rows = group.map((one) => toRow(one, settings.current()));
    const inserted = await insertImported(tx, rows);
    const others = group.filter((_, at) => inserted[at] === undefined).map(({ arrival }) => arrival);
    const here = await findByHashes(tx, others);
    const documents = group.map(({ arrival }, at): ImportedDocument<F> => {
      const documentId = inserted[at]?.documentId ?? here(arrival);
      return { file: arrival, documentId, isNew: inserted[at] !== undefined };
    });
    await this.#alongside(tx, documents);
    await this.#index(
      tx,
      documents.flatMap(({ file, documentId, isNew }) => (isNew && file.text !== undefined ? [documentId] : [])),
    );
    return documents.map(({ file, documentId, isNew }, at) =>
      isNew
        ? { outcome: 'ingested', documentId, isNumberTaken: file.filing.archiveNumber !== (inserted[at]?.archiveNumber ?? undefined) }
        : { outcome: 'duplicate', documentId },
    );
  }
}
