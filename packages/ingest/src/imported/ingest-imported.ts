import { AppError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { lacksFields } from '@sheaf/documents/unique-fields';
import { previewKey } from '@sheaf/storage';
import { findKindByExtension, findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import { CONTENT_EXCERPT_CHARACTERS } from '@sheaf/vocabulary/limits';
import { decide } from '../file-decision.ts';
import { type Arrival, BytesVanished, Destination, importFile, type Recorder, receive, type StoredAt } from '../import-file.ts';
import type { IngestDeps, IngestSettings } from '../incoming-file.ts';
import { ingestEvent } from '../note-file.ts';
import { findByHashes, findImportedClash, type ImportedRow, insertImported, lockBytes } from '../queries/imported.ts';
import { recordRefusal } from '../record.ts';
import type { Alongside, ImportedDocument, ImportedFile, ImportedResult, ImportedText } from './ingest-version.ts';

export interface ImportedOptions<F extends ImportedFile> {
  readonly alongside: Alongside<F>;
  readonly index: IndexDocuments;
}

/**
 * Takes in files from the archive of another system as `ingest` does, with what is known of them there. Those with text are completed,
 * the others wait to be read behind everything else. The returned function may be called for several files at once, which are written
 * in one transaction. Throws as `ingest` does, but notes nothing then: whoever runs the import decides what comes of it.
 */
export const makeImportedIngest = <F extends ImportedFile>(
  deps: IngestDeps,
  { alongside, index }: ImportedOptions<F>,
): ((file: F) => Promise<ImportedResult>) => {
  const recorder = new ImportedRecorder(deps, alongside, index);
  return (file) => importFile(file, deps, recorder);
};

/** No document has it. */
const NO_DOCUMENT = '00000000-0000-4000-8000-000000000000';

/** Judges files as `makeImportedIngest` does and answers what would become of them, but stores and writes nothing. */
export const makeImportedPreview = (deps: IngestDeps): ((file: ImportedFile) => Promise<ImportedResult>) => {
  const seen = new Set<string>();
  const recorder: Recorder<ImportedFile, ImportedResult> = {
    isPreview: true,
    arrival: async (_deps, { ownerId, filing, received: { sha256 } }) => {
      const { documentId, isNumberTaken } = await findImportedClash(deps.db, { ownerId, sha256, fields: filing });
      const key = `${ownerId} ${sha256}`;
      const document = documentId === undefined && !seen.has(key) ? 'none' : 'other';
      const facts = { way: 'import', path: 'new', document, elsewhere: 'none', replaces: false, trashed: false } as const;
      if (decide(facts) === 'duplicate') return { outcome: 'duplicate', documentId: documentId ?? NO_DOCUMENT };
      seen.add(key);
      return { outcome: 'ingested', documentId: NO_DOCUMENT, isNumberTaken };
    },
    refusal: async (_deps, _file, refusal) => ({ outcome: 'refused', ...refusal }),
  };
  return (file) => importFile(file, deps, recorder);
};

/** Documents of one transaction. */
const MAX_TOGETHER = 50;

interface Stored<F extends ImportedFile> {
  readonly arrival: Arrival<F>;
  readonly stored: StoredAt;
  readonly isSigned: boolean;
}

/** Writes the search entries of documents. */
type IndexDocuments = (tx: Db, documentIds: readonly string[]) => Promise<void>;

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

/** What most of the pages are written in. */
const usualLanguage = (languages: readonly (string | null)[] = []): string | null => {
  const counts = new Map<string, number>();
  for (const language of languages) if (language !== null) counts.set(language, (counts.get(language) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? null;
};

const toRow = ({ arrival, stored, isSigned }: Stored<ImportedFile>, settings: IngestSettings): ImportedRow => {
  const { filing, text, addedAt, modifiedAt, received } = arrival;
  return {
    ownerId: arrival.ownerId,
    title: arrival.title,
    filename: arrival.filename,
    mimeType: arrival.mimeType,
    sizeBytes: received.sizeBytes,
    sha256: received.sha256,
    filePath: stored.filePath,
    ocrLanguage: arrival.language,
    defaultLanguage: settings.defaultLanguage,
    source: 'import',
    importedFrom: arrival.importedFrom,
    ...filing,
    confirmedFields: [...filing.confirmedFields],
    isSigned,
    createdAt: addedAt,
    updatedAt: modifiedAt ?? addedAt,
    ...(text === undefined ? {} : readColumns(text)),
    maxAttempts: settings.maxAttempts,
    ledgerPath: arrival.ledgerPath,
    modifiedAt,
    text,
    events: (documentId) => [
      { type: 'document_created', document_id: documentId, title: arrival.title, source: 'import' },
      ingestEvent(arrival, { state: 'ingested' }),
    ],
  };
};

/** What a document with its text has that nobody processes. */
const readColumns = ({ pages, pageCount, languages }: ImportedText) => ({
  status: 'completed' as const,
  language: usualLanguage(languages),
  pageCount: pageCount ?? pages.length,
  contentExcerpt: excerptOf(pages),
});

/** Files without text are looked into when they are processed. */
const findIsSigned = async ({ isSigned }: IngestDeps, { mimeType, text, received, signal }: Arrival<ImportedFile>): Promise<boolean> =>
  text !== undefined && findKindByMimeType(mimeType)?.family === 'pdf' && (await isSigned?.(received.content, signal)) === true;

/** Writes down files of an archive, those that arrive at the same time in one transaction; `index` writes the search entries of documents. */
class ImportedRecorder<F extends ImportedFile> implements Recorder<F, ImportedResult> {
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
      const documentId = inserted[at]?.id ?? here(arrival);
      return { file: arrival, documentId, isNew: inserted[at] !== undefined };
    });
    await this.#alongside(tx, documents);
    await this.#index(
      tx,
      documents.flatMap(({ file, documentId, isNew }) => (isNew && file.text !== undefined ? [documentId] : [])),
    );
    return documents.map(({ file, documentId, isNew }, at) =>
      isNew
        ? { outcome: 'ingested', documentId, isNumberTaken: lacksFields(file.filing, inserted[at]) }
        : { outcome: 'duplicate', documentId },
    );
  }
}

const PDF = findKindByExtension('pdf');

const isIncomplete = (error: unknown): boolean => error instanceof AppError && error.code === 'INCOMPLETE_FILE';

/**
 * Stores the rendition that an office document has in the other system, before its row is there: where that never comes, it goes with the
 * bytes that nobody refers to. What is damaged, too large or no PDF is left out: then there is no preview until the document is processed.
 * Throws where the storage does not work.
 */
const storePreview = async (
  { storage, temp, typeCheck }: IngestDeps,
  { mimeType, openPreview, received: { sha256 }, maxBytes, signal }: Arrival<ImportedFile>,
): Promise<void> => {
  if (openPreview === undefined || findKindByMimeType(mimeType)?.family !== 'office' || PDF === undefined) return;
  const stream = await openPreview();
  if (stream === undefined) return;
  await using destination = new Destination(temp);
  try {
    const received = await receive(stream, destination, { maxBytes, signal });
    if (received === undefined || !(await typeCheck.match(received.content, PDF, signal)).isMatch) return;
    await storage.put(previewKey(sha256), received.content);
  } catch (error) {
    if (!isIncomplete(error)) throw error;
  } finally {
    stream.destroy();
  }
};

/** One of several that are written together. */
interface Waiting<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/** Groups that are written at the same time: the database works on one while the next one is put together. */
const GROUPS_AT_ONCE = 2;

/**
 * Writes what comes in while others are being written together with the next ones: many small transactions cost more than a large one.
 * `write` answers for each item in its place. Where it throws, each item is tried alone, so that one that cannot be written spoils no other.
 */
class GroupCommit<T, R> {
  readonly #write: (items: readonly T[]) => Promise<readonly R[]>;
  readonly #most: number;
  #waiting: Waiting<T, R>[] = [];
  #writing = 0;

  constructor(write: (items: readonly T[]) => Promise<readonly R[]>, most: number) {
    this.#write = write;
    this.#most = most;
  }

  /** What `write` answers for the item. Throws what it throws for the item alone. */
  add(item: T): Promise<R> {
    const { promise, resolve, reject } = Promise.withResolvers<R>();
    this.#waiting.push({ item, resolve, reject });
    void this.#run();
    return promise;
  }

  async #run(): Promise<void> {
    if (this.#writing >= GROUPS_AT_ONCE) return;
    this.#writing += 1;
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, this.#most);
      try {
        await this.#settle(group);
      } catch {
        for (const one of group) await this.#settle([one]).catch(one.reject);
      }
    }
    this.#writing -= 1;
  }

  async #settle(group: readonly Waiting<T, R>[]): Promise<void> {
    const results = await this.#write(group.map(({ item }) => item));
    for (const [at, result] of results.entries()) group[at]?.resolve(result);
  }
}
