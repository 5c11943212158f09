import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '@sheaf/config';
import { Secret } from '@sheaf/contract';
import { completeDatabaseUrl, openDatabase } from '@sheaf/db';
import { OfficeToPdf } from '@sheaf/extraction';
import {
  type ForeignImport,
  type ForeignItem,
  ImportSourceError,
  type ImportSummary,
  importForeign,
  openFolder,
  type PdfMaker,
  readDocspell,
  readMail,
  readPapra,
  readReadur,
  reasonOf,
} from '@sheaf/imports';
import { openPaperlessArchive, type PaperlessArchive, PaperlessArchiveError } from '@sheaf/paperless/archive';
import { importPaperless, type PaperlessImport } from '@sheaf/paperless/import';
import { makeLogger } from '@sheaf/process';
import type { ImportKind } from '@sheaf/vocabulary/imports';
import type { LeftEntry } from './unpack-archive.ts';

/** What is imported, with absolute paths. */
export interface SourceOptions {
  readonly kind: ImportKind;
  readonly path: string;
  readonly passphraseFile?: string | undefined;
  readonly pattern?: string | undefined;
  readonly databaseUrlFile?: string | undefined;
  /** Entries of an archive that could not be unpacked, for the report. */
  readonly left?: readonly LeftEntry[] | undefined;
}

/** Where documents go, and for whom. */
export type ImportTarget = Omit<PaperlessImport, 'archive'> & Omit<ForeignImport, 'kind' | 'items'>;

/** Something that can be imported. */
export interface ImportSource extends AsyncDisposable {
  importInto(target: ImportTarget): Promise<ImportSummary>;
}

/** Why an export cannot be used, for people. */
const EXPLANATIONS: Readonly<Partial<Record<PaperlessArchiveError['code'], string>>> = {
  data_only: 'The export was made with --data-only, so it has no files. Make one without this option.',
  passphrase_wrong: 'The passphrase is not the one of the export.',
  not_found: 'There is no such folder or file, or it cannot be read.',
  manifest_missing: 'There is no manifest.json: give the folder or the ZIP file that document_exporter has written.',
};

/** The first line of a file that keeps a secret out of the list of processes. */
const readSecret = async (file: string): Promise<string> => (await readFile(file, 'utf8')).replace(/\r?\n$/, '');

const openArchive = async ({ path, passphraseFile }: SourceOptions): Promise<PaperlessArchive> => {
  try {
    const options = passphraseFile === undefined ? {} : { passphrase: await readSecret(passphraseFile) };
    return await openPaperlessArchive(path, options);
  } catch (error) {
    if (error instanceof PaperlessArchiveError) throw new ImportSourceError(`${path}: ${EXPLANATIONS[error.code] ?? error.message}`);
    throw error instanceof Error && 'code' in error ? new ImportSourceError(reasonOf(error)) : error;
  }
};

const fromArchive = async (options: SourceOptions): Promise<ImportSource> => {
  const archive = await openArchive(options);
  return {
    importInto: (target) => importPaperless({ ...target, archive }),
    [Symbol.asyncDispose]: () => archive[Symbol.asyncDispose](),
  };
};

const fromItems = (
  kind: ForeignImport['kind'],
  items: AsyncIterable<ForeignItem>,
  close = async (): Promise<void> => {},
): ImportSource => ({
  importInto: (target) => importForeign({ ...target, kind, items }),
  [Symbol.asyncDispose]: close,
});

/** What an archive could not give, and then what it did. */
async function* withLeft(left: readonly LeftEntry[], items: AsyncIterable<ForeignItem>): AsyncGenerator<ForeignItem> {
  for (const { name, reason } of left) yield { rest: { kind: 'archive entry', name, reason } };
  yield* items;
}

const fromReadur = async ({ path, databaseUrlFile = '' }: SourceOptions, config: Config): Promise<ImportSource> => {
  const url = completeDatabaseUrl(new Secret((await readSecret(databaseUrlFile)).trim()), config.database);
  const log = makeLogger({ ...config.log, level: 'warn' }, 'cli');
  const database = openDatabase({ ...config.database, url, maxConnections: 1, minConnections: 0, applicationName: 'sheaf import' }, log);
  return fromItems('readur', readReadur(database.db, path), () => database.close());
};

const fromMail = async (path: string, left: readonly LeftEntry[], config: Config): Promise<ImportSource> => {
  const { storage, ocr } = config;
  const log = makeLogger({ ...config.log, level: 'warn' }, 'cli');
  const office = await OfficeToPdf.open({ scratchPath: join(storage.tempPath, 'extraction'), readers: 1, limits: ocr.limits }, log);
  const toPdf: PdfMaker | undefined = office && ((rtf) => office.convert(rtf, 'rtf'));
  return fromItems('mbox', withLeft(left, readMail(path, { toPdf })), async () => office?.[Symbol.asyncDispose]());
};

/** Opens what is to be imported. Throws an ImportSourceError where it cannot be imported. */
export const openSource = async (options: SourceOptions, config: Config): Promise<ImportSource> => {
  const { path, left = [] } = options;
  switch (options.kind) {
    case 'paperless':
      return fromArchive(options);
    case 'folder':
      return fromItems('folder', withLeft(left, await openFolder(path, options.pattern)));
    case 'mbox':
      return fromMail(path, left, config);
    case 'docspell':
      return fromItems('docspell', withLeft(left, readDocspell(path)));
    case 'papra':
      return fromItems('papra', withLeft(left, readPapra(path)));
    case 'readur':
      return fromReadur(options, config);
  }
};
