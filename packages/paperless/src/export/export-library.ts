import { AppError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { asc, inArray, sql } from '@sheaf/db/drizzle';
import { type Document, documentLabels, documents, type FieldValueRow, rules } from '@sheaf/db/schema';
import { listNotes, type Note } from '@sheaf/documents';
import { readContent } from '@sheaf/documents/pages';
import { documentKey, type Storage } from '@sheaf/storage';
import { extensionOf, findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import type { ConfiguredRoles } from '@sheaf/vocabulary/permissions';
import { dayOf } from '../document-parts.ts';
import { FileNames, NameSet } from './files/file-names.ts';
import {
  DamagedFileError,
  type ExportTarget,
  type FileChecksums,
  type FileSource,
  type FindArchiveFile,
  type OwnFile,
  writeArchiveFile,
} from './files/target.ts';
import { FORMAT_VERSIONS, type ManifestRecord, type PaperlessFormat, toTime } from './paperless/content-types.ts';
import {
  type ChosenDocuments,
  chooseDocuments,
  documentRecord,
  type ExportedDocument,
  noteFields,
  type References,
} from './paperless/documents.ts';
import { customFieldRecords, filingRecords, noFiling, readFieldRows, valueFields } from './paperless/filing.ts';
import { noPeople, peopleRecords } from './paperless/people.ts';
import { type OtherSearch, savedViewRecords } from './paperless/saved-views.ts';

/** Below which Paperless-ngx and this put the files of documents. */
const FOLDER = 'originals';
const ARCHIVE_FOLDER = 'archive';

export interface ExportServices {
  readonly db: Db;
  readonly storage: Storage;
  readonly roles: ConfiguredRoles;
  /** Of Sheaf. */
  readonly version: string;
  readonly now: () => Date;
  /** Given where the export is to have searchable PDFs beside the files. */
  readonly findArchiveFile?: FindArchiveFile | undefined;
}

export interface ExportRequest {
  /** In the language of the search; undefined for the whole library. */
  readonly query: string | undefined;
  /** Undefined: 2, or 3 where the library has a file twice, which 2 cannot have. */
  readonly format: PaperlessFormat | undefined;
  /** See `refusalOfNameFormat`. */
  readonly nameFormat: string;
}

export interface ExportReport {
  begin(documents: number): void;
  advance(bytes: number): void;
  problem(problem: ExportProblem): void;
}

export interface ExportResult extends DocumentCounts {
  /** The version of Paperless-ngx whose format it is. */
  readonly paperlessVersion: string;
  /** Files that an earlier export wrote, and this one has not. */
  readonly removed: number;
}

/** What the format cannot hold, in a file that Paperless-ngx does not look at. */
const sheafFile = async ({ db, version, now }: ExportServices, savedSearches: readonly OtherSearch[]): Promise<OwnFile> => {
  const content = { sheaf_version: version, exported_at: now().toISOString(), saved_searches: savedSearches, rules: await readRules(db) };
  return { name: 'sheaf.json', content: `${JSON.stringify(content, null, 2)}\n` };
};

/**
 * Writes the library, or what a query finds, to `target` in the format of Paperless-ngx. Documents whose file is missing or damaged are
 * reported and left out; documents that are added meanwhile are left out. Throws what is wrong with the target, the database or the storage.
 */
export const exportLibrary = async (
  services: ExportServices,
  target: ExportTarget,
  request: ExportRequest,
  report: ExportReport,
): Promise<ExportResult> => {
  const { db, roles, findArchiveFile } = services;
  const namesIn = (folder: string): FileNames => new FileNames(request.nameFormat, folder, new NameSet());
  const chosen = await chooseDocuments(db, request.query);
  const sharedFiles = await findSharedFiles(db);
  const format = request.format ?? (sharedFiles.size === 0 ? 2 : 3);
  const manifest = new ManifestWriter(target);
  const [people, filing, fields, otherSearches] = [noPeople(), noFiling(), new Map(), [] as OtherSearch[]];
  await manifest.addAll(peopleRecords(db, roles, people));
  await manifest.addAll(filingRecords(db, filing));
  await manifest.addAll(customFieldRecords(db, fields));
  const other = (search: OtherSearch): void => void otherSearches.push(search);
  await manifest.addAll(
    savedViewRecords(db, { format, filing, users: people.numbers, fields, numberOf: (id) => chosen.numberOf(id), other }),
  );
  report.begin(chosen.count);
  const counts = await exportDocuments({
    ...services,
    target,
    manifest,
    chosen,
    sharedFiles: format === 2 ? sharedFiles : new Set(),
    names: namesIn(FOLDER),
    archive: findArchiveFile === undefined ? undefined : { names: namesIn(ARCHIVE_FOLDER), find: findArchiveFile },
    userNames: people.names,
    references: { format, users: people.numbers, filing, fields, numberOf: (id) => chosen.numberOf(id) },
    report,
  });
  await manifest.end();
  const metadata = { name: 'metadata.json', content: `${JSON.stringify({ version: FORMAT_VERSIONS[format] }, null, 2)}\n` };
  const { removed } = await target.finish([await sheafFile(services, otherSearches), metadata]);
  return { ...counts, removed, paperlessVersion: FORMAT_VERSIONS[format] };
};

/** The hashes of the files that several documents have, of different owners. */
const findSharedFiles = async (db: Db): Promise<ReadonlySet<string>> => {
  const rows = await db.select({ sha256: documents.sha256 }).from(documents).groupBy(documents.sha256).having(sql`count(*) > 1`);
  return new Set(rows.map(({ sha256 }) => sha256));
};

/** The rules of all users, as far as they say what is done. */
const readRules = (db: Db) =>
  db
    .select({
      id: rules.id,
      owner_id: rules.createdBy,
      name: rules.name,
      query: rules.query,
      filters: rules.filters,
      actions: rules.actions,
      position: rules.position,
      is_enabled: rules.isEnabled,
    })
    .from(rules)
    .orderBy(asc(rules.createdBy), asc(rules.position), asc(rules.id));

/** What is not, or not wholly, in an export. */
export interface ExportProblem {
  readonly documentId: string;
  /**
   * `duplicate`: another document has the same file, and the format allows a file once. `text_shortened`: all but the end of its text is there.
   * `no_searchable`: its searchable PDF could not be made.
   */
  readonly reason: 'missing' | 'damaged' | 'duplicate' | 'text_shortened' | 'no_searchable';
}

interface DocumentCounts {
  /** Documents of the export. */
  readonly documents: number;
  /** Of their bytes. */
  readonly bytes: number;
  readonly written: number;
  /** Files that were there already. */
  readonly kept: number;
  /** Searchable PDFs of them. */
  readonly searchable: number;
  readonly problems: number;
}

interface Work {
  readonly db: Db;
  readonly storage: Storage;
  readonly target: ExportTarget;
  readonly manifest: ManifestWriter;
  readonly chosen: ChosenDocuments;
  /** Hashes of files that may be written for one document only. */
  readonly sharedFiles: ReadonlySet<string>;
  readonly names: FileNames;
  /** Undefined where no searchable PDFs are wanted. */
  readonly archive: { readonly names: FileNames; readonly find: FindArchiveFile } | undefined;
  readonly userNames: ReadonlyMap<string, string>;
  readonly references: References;
  readonly report: { advance(bytes: number): void; problem(problem: ExportProblem): void };
}

const MAX_EXTENSION_CHARACTERS = 10;

const extensionFor = ({ mimeType, filename }: Document): string =>
  findKindByMimeType(mimeType)?.extensions[0] ??
  extensionOf(filename)
    .replaceAll(/[^a-z0-9]/g, '')
    .slice(0, MAX_EXTENSION_CHARACTERS);

const nameFor = (names: FileNames, { userNames, references: { filing } }: Work, document: Document, extension: string): string => {
  const day = dayOf(document);
  const [year = '', month = '', dayOfMonth = ''] = day.split('-');
  return names.add({
    extension,
    values: {
      document_date: day,
      year,
      month,
      day: dayOfMonth,
      correspondent: filing.correspondents.names.get(document.correspondentId ?? '') ?? '',
      document_type: filing.documentTypes.names.get(document.documentTypeId ?? '') ?? '',
      title: document.title,
      archive_number: String(document.archiveNumber ?? ''),
      owner: userNames.get(document.ownerId) ?? '',
      filename: document.filename.replace(/\.[^.]{1,16}$/, ''),
      id: document.id,
    },
  });
};

const sourceOf = (storage: Storage, { sha256, sizeBytes, createdAt }: Document): FileSource => ({
  sha256,
  sizeBytes,
  modifiedAt: new Date(toTime(createdAt)),
  open: async () => (await storage.open(documentKey(sha256))).stream,
});

/** Why a single file could not be written; undefined where the storage or the target cannot work now. */
const reasonOfFailure = (error: unknown): 'missing' | 'damaged' | undefined => {
  if (error instanceof DamagedFileError) return 'damaged';
  if (!(error instanceof AppError) || error.kind !== 'NOT_FOUND') return undefined;
  return error.code === 'FILE_MISSING' ? 'missing' : 'damaged';
};

/** Undefined where the document was deleted meanwhile; throws what is no fault of the one file. */
const writeFile = async (
  { db, storage, target }: Work,
  document: Document,
  name: string,
): Promise<{ readonly checksums: FileChecksums; readonly isNew: boolean } | 'missing' | 'damaged' | undefined> => {
  try {
    return await target.write(name, sourceOf(storage, document));
  } catch (error) {
    const reason = reasonOfFailure(error);
    if (reason === undefined) throw error;
    return (await isStillThere(db, document.id)) ? reason : undefined;
  }
};

/** The records of a document, its notes and its values. */
const writeRecords = async (
  { db, manifest, chosen, references, report }: Work,
  { document, labelIds, values }: DocumentPart,
  file: ExportedDocument['file'],
  archive: ExportedDocument['archive'],
): Promise<boolean> => {
  const pk = chosen.numberOf(document.id) ?? 0;
  const { text, isWhole } = await readText(db, document.id);
  if (!isWhole) report.problem({ documentId: document.id, reason: 'text_shortened' });
  await manifest.add(documentRecord({ document, pk, labelIds, content: text, file, archive }, references));
  for (const note of await readNotes(db, document)) await manifest.addNext('documents.note', noteFields(note, pk, references.users));
  const created = toTime(document.updatedAt);
  for (const row of values) {
    const fields = valueFields(references.fields, row, { document: pk, created, numberOf: references.numberOf });
    if (fields !== undefined) await manifest.addNext('documents.customfieldinstance', fields);
  }
  return isWhole;
};

/** The PDF of a document where one is wanted and there is one. */
const writeArchive = async (work: Work, document: Document) => {
  const { target, archive } = work;
  if (archive === undefined) return undefined;
  const makeName = (): string => nameFor(archive.names, work, document, 'pdf');
  return await writeArchiveFile({ target, findArchiveFile: archive.find }, document, makeName);
};

/** Writes the file of each document, and then its records. */
const exportDocuments = async (work: Work): Promise<DocumentCounts> => {
  const { db, chosen, report, sharedFiles } = work;
  const counts = { documents: 0, bytes: 0, written: 0, kept: 0, searchable: 0, problems: 0 };
  const once = new Set<string>();
  for await (const part of documentParts(db, chosen)) {
    const { id, sha256, sizeBytes } = part.document;
    const problem = (reason: ExportProblem['reason']): void => {
      counts.problems += 1;
      report.problem({ documentId: id, reason });
    };
    report.advance(sizeBytes);
    if (once.has(sha256)) {
      problem('duplicate');
      continue;
    }
    const extension = extensionFor(part.document);
    const name = nameFor(work.names, work, part.document, extension);
    const file = await writeFile(work, part.document, name);
    if (file === undefined) continue;
    if (typeof file === 'string') {
      problem(file);
      continue;
    }
    if (sharedFiles.has(sha256)) once.add(sha256);
    counts[file.isNew ? 'written' : 'kept'] += 1;
    counts.documents += 1;
    counts.bytes += sizeBytes;
    const archive = await writeArchive(work, part.document);
    if (archive === 'failed') problem('no_searchable');
    const made = archive === 'failed' ? undefined : archive;
    if (made !== undefined) {
      counts.searchable += 1;
      counts[made.isNew ? 'written' : 'kept'] += 1;
    }
    if (!(await writeRecords(work, part, { name, checksums: file.checksums, extension }, made))) counts.problems += 1;
  }
  return counts;
};

/** Writes records as one JSON array, a line each, and numbers those that have no number of their own. */
class ManifestWriter {
  readonly #target: ExportTarget;
  readonly #numbers = new Map<string, number>();
  #isEmpty = true;

  constructor(target: ExportTarget) {
    this.#target = target;
  }

  async add(record: ManifestRecord): Promise<void> {
    await this.#target.appendManifest(`${this.#isEmpty ? '[\n' : ',\n'}${JSON.stringify(record)}`);
    this.#isEmpty = false;
  }

  async addAll(records: AsyncIterable<ManifestRecord>): Promise<void> {
    for await (const record of records) await this.add(record);
  }

  async addNext(model: string, fields: ManifestRecord['fields']): Promise<void> {
    const pk = (this.#numbers.get(model) ?? 0) + 1;
    this.#numbers.set(model, pk);
    await this.add({ model, pk, fields });
  }

  async end(): Promise<void> {
    await this.#target.appendManifest(this.#isEmpty ? '[]\n' : '\n]\n');
  }
}

const BATCH = 100;

/** A document as far as it is small. */
interface DocumentPart {
  readonly document: Document;
  readonly labelIds: readonly string[];
  readonly values: readonly FieldValueRow[];
}

const labelsOf = async (db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> => {
  const rows = await db
    .select()
    .from(documentLabels)
    .where(inArray(documentLabels.documentId, [...ids]))
    .orderBy(asc(documentLabels.documentId), asc(documentLabels.labelId));
  return new Map([...Map.groupBy(rows, (row) => row.documentId)].map(([id, found]) => [id, found.map(({ labelId }) => labelId)]));
};

/** The chosen documents, in order, read in parts. Those that were deleted meanwhile are left out. */
async function* documentParts(db: Db, chosen: ChosenDocuments): AsyncGenerator<DocumentPart> {
  for (const ids of chosen.parts(BATCH)) {
    const rows = await db
      .select()
      .from(documents)
      .where(inArray(documents.id, [...ids]))
      .orderBy(asc(documents.id));
    const [labels, values] = [await labelsOf(db, ids), await readFieldRows(db, ids)];
    for (const document of rows) yield { document, labelIds: labels.get(document.id) ?? [], values: values.get(document.id) ?? [] };
  }
}

/** As much text as fits into a record that importers read: more than the longest books have. */
const MAX_CONTENT_CHARACTERS = 5_000_000;

/** The text of all pages, parted by form feeds, and whether it is all of it. */
const readText = async (db: Db, documentId: string): Promise<{ readonly text: string; readonly isWhole: boolean }> => {
  const text = await readContent(db, documentId);
  const isWhole = text.length <= MAX_CONTENT_CHARACTERS;
  return { text: isWhole ? text : text.slice(0, MAX_CONTENT_CHARACTERS).toWellFormed(), isWhole };
};

const readNotes = async (db: Db, { id, notesCount }: Document): Promise<readonly Note[]> => (notesCount === 0 ? [] : listNotes(db, id));

const isStillThere = async (db: Db, documentId: string): Promise<boolean> =>
  (
    await db
      .select({ id: documents.id })
      .from(documents)
      .where(inArray(documents.id, [documentId]))
  ).length > 0;
