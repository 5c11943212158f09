import type { Db } from '@sheaf/db';
import type { Storage } from '@sheaf/storage';
import type { ConfiguredRoles } from '@sheaf/vocabulary/permissions';
import type { FindArchiveFile } from './archive-file.ts';
import { chooseDocuments } from './chosen-documents.ts';
import { type DocumentCounts, type ExportProblem, exportDocuments } from './export-documents.ts';
import { FileNames, NameSet } from './files/file-names.ts';
import type { ExportTarget, OwnFile } from './files/target.ts';
import { ManifestWriter } from './manifest-writer.ts';
import { customFieldRecords } from './paperless/custom-fields.ts';
import { filingRecords, noFiling } from './paperless/filing.ts';
import { noPeople, peopleRecords } from './paperless/people.ts';
import { FORMAT_VERSIONS, type PaperlessFormat } from './paperless/records.ts';
import { type OtherSearch, savedViewRecords } from './paperless/saved-views.ts';
import { findSharedFiles, readRules } from './queries.ts';

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
  await manifest.addAll(savedViewRecords(db, { format, filing, users: people.numbers, other }));
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
