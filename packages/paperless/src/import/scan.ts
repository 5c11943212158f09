import { type ImportedItem, ImportReport, ImportSourceError } from '@sheaf/imports/shared';
import { type ImportContext, type ReadRecord, readRecord } from './context.ts';
import { type DocumentFields, documentFields } from './records.ts';

export const DOCUMENT_MODEL = 'documents.document';
export const VALUE_MODEL = 'documents.customfieldinstance';

/** Text of newer versions that is held until their documents come; those of later ones are read again. */
const MAX_HELD_CHARACTERS = 16_000_000;
/** Of so many documents one must have its file. */
const PROBED = 20;

/** What a file of a later version brings to its document. */
export interface NewestVersion extends ReadRecord<DocumentFields> {
  readonly rootPk: string;
}

/** What is known of all documents before the first one is taken over. */
export interface DocumentScan {
  /** Records that may become documents. */
  readonly total: number;
  /** By the id of the document that they are versions of. */
  readonly newest: ReadonlyMap<string, NewestVersion>;
  /** Later files that are not in the trash, by the id of the document that they are versions of. */
  readonly versions: ReadonlyMap<string, readonly { readonly pk: string; readonly index: number }[]>;
  /** The documents of other versions, by their own ids. */
  readonly rootOfVersion: ReadonlyMap<string, string>;
  /** Documents that lie in the trash there, and since when; versions are not among them. */
  readonly trashed: ReadonlyMap<string, Date>;
  /** Every id that is in the export, those in the trash and versions included. */
  readonly ids: ReadonlySet<string>;
  /** To how many documents one value of each field of links leads at most. */
  readonly links: ReadonlyMap<string, number>;
}

/** What shows that an id still means the same document. */
export const fingerprintOf = ({ added }: DocumentFields): string | null => added?.toISOString() ?? null;

const requireSame = (context: ImportContext, { pk, fields }: ReadRecord<DocumentFields>, item: ImportedItem | undefined): void => {
  const fingerprint = fingerprintOf(fields);
  if (item === undefined || item.fingerprint === null || fingerprint === null || item.fingerprint === fingerprint) return;
  throw new ImportSourceError(
    `Document ${pk} of this export is another one than document ${pk} of an earlier import called "${context.source}". If it is the export of another installation, use another --name.`,
  );
};

const hasFile = async ({ archive }: ImportContext, { files }: ReadRecord<DocumentFields>): Promise<boolean> => {
  const opened = files.original === undefined ? undefined : await archive.openFile(files.original);
  opened?.stream.destroy();
  return opened !== undefined;
};

/** Throws an ImportSourceError where the export has no files at all. */
class FileProbe {
  #tried = 0;
  #hasFound = false;

  async look(context: ImportContext, record: ReadRecord<DocumentFields>): Promise<void> {
    if (this.#hasFound || this.#tried >= PROBED) return;
    this.#tried += 1;
    this.#hasFound = await hasFile(context, record).catch(() => false);
  }

  requireFiles(): void {
    if (this.#tried > 0 && !this.#hasFound)
      throw new ImportSourceError(
        'The export has no files: it was made with --data-only. Make one without this option: document_exporter writes the files as well.',
      );
  }
}

/** How far apart are the times at which a document and what hangs on it went to the trash together. */
const TOGETHER_MS = 60_000;

/** Whether something that hangs on a document was deleted before it, and not along with it. */
export const wasDeletedAlone = ({ trashed }: Pick<DocumentScan, 'trashed'>, documentPk: string, deletedAt: Date | undefined): boolean =>
  deletedAt !== undefined && deletedAt.getTime() < (trashed.get(documentPk)?.getTime() ?? Number.POSITIVE_INFINITY) - TOGETHER_MS;

const countLinks = (links: Map<string, number>, { field, value_document_ids: value }: Readonly<Record<string, unknown>>): void => {
  if (Array.isArray(value)) links.set(String(field), Math.max(links.get(String(field)) ?? 1, value.length));
};

/** Reads through all documents. Throws an ImportSourceError for the export of another installation, and for one without files. */
export const scanDocuments = async (context: ImportContext, items: ReadonlyMap<string, ImportedItem>): Promise<DocumentScan> => {
  const silent = { report: new ImportReport() };
  const newest = new Map<string, NewestVersion>();
  const versions = new Map<string, { readonly pk: string; readonly index: number }[]>();
  const rootOfVersion = new Map<string, string>();
  const trashed = new Map<string, Date>();
  const ids = new Set<string>();
  const probe = new FileProbe();
  const links = new Map<string, number>();
  let total = 0;
  let heldCharacters = 0;
  for await (const given of context.archive.records([DOCUMENT_MODEL, VALUE_MODEL])) {
    if (given.model === VALUE_MODEL) countLinks(links, given.fields);
    const record = given.model === DOCUMENT_MODEL ? readRecord(silent, given, documentFields) : undefined;
    if (record === undefined) continue;
    const { pk, fields } = record;
    ids.add(pk);
    requireSame(context, record, items.get(pk));
    await probe.look(context, record);
    const rootPk = fields.root_document;
    if (rootPk === undefined) {
      total += 1;
      if (fields.deleted_at !== undefined) trashed.set(pk, fields.deleted_at);
      continue;
    }
    rootOfVersion.set(pk, rootPk);
    if (fields.deleted_at !== undefined) continue;
    versions.set(rootPk, [...(versions.get(rootPk) ?? []), { pk, index: fields.version_index }]);
    if ((newest.get(rootPk)?.fields.version_index ?? -1) >= fields.version_index) continue;
    heldCharacters += fields.content.length;
    newest.set(rootPk, { ...record, rootPk, fields: heldCharacters > MAX_HELD_CHARACTERS ? { ...fields, content: '' } : fields });
  }
  probe.requireFiles();
  return { total, newest, versions, rootOfVersion, trashed, ids, links };
};
