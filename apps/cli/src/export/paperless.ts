import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '@sheaf/config';
import { makeProblem } from '@sheaf/contract/operations';
import { hasLocalDocuments } from '@sheaf/documents';
import { PictureMaker } from '@sheaf/extraction/pictures';
import {
  type ExportProblem,
  type ExportResult,
  type ExportServices,
  type ExportTarget,
  exportLibrary,
  type FindArchiveFile,
  FolderTarget,
  TargetError,
  ZipTarget,
} from '@sheaf/paperless/export';
import { FatalError } from '@sheaf/process';
import { VERSION } from '@sheaf/program';
import { copySearchable, type NoSearchable, type SearchableParts } from '@sheaf/renditions';
import { openStorage } from '@sheaf/storage';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { connectTool } from '../open-database.ts';
import { formatBytes, formatCount, openProgress } from '../progress/progress.ts';
import type { ExportOptions } from './arguments.ts';

/** Why a document has no searchable PDF where that is no fault of anything: there is nothing to make one of. */
const IS_NONE = new Set<NoSearchable>(['unsupported', 'not_processed', 'no_positions', 'no_rendition', 'encrypted']);

const searchableFinder =
  (parts: SearchableParts): FindArchiveFile =>
  async (document) => {
    const found = await copySearchable(parts, document, new AbortController().signal);
    if (found === undefined || !('problem' in found)) return found;
    return IS_NONE.has(found.problem) ? undefined : 'failed';
  };

const openService = async (config: Config, { hasSearchable }: ExportOptions, resources: AsyncDisposableStack): Promise<ExportServices> => {
  const database = await connectTool(config, resources, { applicationName: 'sheaf export', maxConnections: 2 });
  const storage = await openStorage(config.storage, { hasLocalDocuments: () => hasLocalDocuments(database.db) });
  resources.defer(() => storage.close());
  const health = await storage.check();
  if (health.status === 'unhealthy')
    throw new FatalError(health.problems?.[0] ?? makeProblem('storage_unavailable', { place: storage.place }));
  const { db } = database;
  const pictures = new PictureMaker({ scratchPath: join(config.storage.tempPath, 'pictures'), limits: config.ocr.limits, processes: 1 });
  resources.defer(() => pictures.stop());
  const findArchiveFile = hasSearchable ? searchableFinder({ config, db, storage, pictures }) : undefined;
  return { db, storage, roles: config.signIn.roles, version: VERSION, now: () => new Date(), findArchiveFile };
};

/** The file itself, or a new one in a folder that is there. */
const zipPath = async (target: string): Promise<string> => {
  const isFolder = (await stat(target).catch(() => undefined))?.isDirectory() === true;
  return isFolder ? join(target, `paperless-export-${new Date().toISOString().slice(0, 10)}.zip`) : target;
};

const openTarget = async ({ target, isZip, isIncremental }: ExportOptions): Promise<ExportTarget> => {
  try {
    return isZip ? await ZipTarget.open(await zipPath(target)) : await FolderTarget.open(target, { isIncremental });
  } catch (error) {
    throw error instanceof TargetError ? asProblem(error) : error;
  }
};

const asProblem = ({ code, path }: TargetError): FatalError => new FatalError(makeProblem(`export_${code}`, { path }));

const WHAT_IS_WRONG: Readonly<Record<ExportProblem['reason'], string>> = {
  missing: 'left out: its file is missing',
  damaged: 'left out: its file is damaged',
  duplicate: 'left out: another document has the same file, which Paperless-ngx 2 does not allow; use --paperless-version 3',
  text_shortened: 'its text is too long for the format and was shortened',
  no_searchable: 'its searchable PDF could not be made; the original file is there',
};

const summarise = ({ documents, bytes, written, kept, removed, searchable, problems, paperlessVersion }: ExportResult): string => {
  const files = `${formatCount(written)} files written, ${formatCount(kept)} kept, ${formatCount(removed)} removed`;
  const end = problems === 0 ? '' : `; ${formatCount(problems)} documents with problems`;
  const pdfs = searchable === 0 ? '' : `${formatCount(searchable)} searchable PDFs, `;
  return `exported: ${formatCount(documents)} documents, ${formatBytes(bytes)}, ${pdfs}format of Paperless-ngx ${paperlessVersion}: ${files}${end}\n`;
};

/** Writes the export, prints what was left out, and returns the exit code. */
export const exportPaperless = async (options: ExportOptions, config: Config): Promise<number> => {
  await using resources = new AsyncDisposableStack();
  const services = await openService(config, options, resources);
  const target = resources.use(await openTarget(options));
  const progress = openProgress();
  resources.defer(() => progress.close());
  const report = {
    begin: (documents: number) => progress.report.begin('export', { files: documents, bytes: 0, unit: 'documents' }),
    advance: (bytes: number) => progress.report.advance(bytes),
    problem: ({ documentId, reason }: ExportProblem) => progress.report.line(`document ${documentId}: ${WHAT_IS_WRONG[reason]}`),
  };
  const { query, format, nameFormat } = options;
  try {
    const result = await exportLibrary(services, target, { query, format, nameFormat }, report);
    progress.close();
    process.stderr.write(summarise(result));
    process.stdout.write(`${target.path}\n`);
    return result.problems === 0 ? EXIT.done : EXIT.failed;
  } catch (error) {
    throw error instanceof TargetError ? asProblem(error) : error;
  }
};
