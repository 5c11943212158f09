import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Config } from '@sheaf/config';
import { errorCode, Secret } from '@sheaf/contract';
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
import { openByteSource, openZipIndex, UnreadableEntry } from '@sheaf/sandbox/containers';
import type { ImportKind } from '@sheaf/vocabulary/imports';
import { z } from 'zod';

const LIMITS = { maxEntries: 1_600_000, maxDirectoryBytes: 256 * 1024 * 1024 };
/** Documents are packed to a third at best, mail to a tenth; what grows more is made to fill the disk. */
const MAX_GROWTH = 20;
const MIN_ROOM_BYTES = 100 * 1024 * 1024;
const MAX_NAME_BYTES = 4_096;

/** Whether a name stays below the folder that it is joined to, and is one of a file. */
const isSafe = (name: string): boolean =>
  Buffer.byteLength(name) <= MAX_NAME_BYTES &&
  !name.includes('\0') &&
  !name.includes('\\') &&
  name.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && Buffer.byteLength(part) <= 255);

/** An entry that was not unpacked, and why. */
export interface LeftEntry {
  readonly name: string;
  readonly reason: string;
}

/** As many are named; a made archive may have a million of them. */
const MAX_LEFT = 10_000;
const MAX_NAME_CHARACTERS = 500;

/** What the file system says of a name that it cannot have, such as one of a file and of a folder. */
const NAME_CODES: ReadonlySet<string | undefined> = new Set(['EEXIST', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG', 'EILSEQ', 'EINVAL']);

/** Why an entry alone cannot be unpacked; undefined where the error concerns all of them. */
const reasonOfEntry = (error: unknown): string | undefined => {
  if (error instanceof UnreadableEntry) return 'The entry is damaged, encrypted or packed in an unknown way';
  return NAME_CODES.has(errorCode(error)) ? 'The name is that of another entry, or no file can have it' : undefined;
};

/** Writes an entry below `target`; answers why it could not be. */
const unpackEntry = async (stream: Readable, path: string): Promise<string | undefined> => {
  let isOurs = false;
  try {
    await mkdir(dirname(path), { recursive: true });
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
    file.once('open', () => (isOurs = true));
    await pipeline(stream, file);
    return undefined;
  } catch (error) {
    stream.destroy();
    const reason = reasonOfEntry(error);
    if (reason === undefined) throw error;
    if (isOurs) await rm(path, { force: true });
    return reason;
  }
};

const unpackInto = async (archive: string, target: string): Promise<LeftEntry[]> => {
  await using source = await openByteSource(archive);
  const opened = await openZipIndex(source, LIMITS);
  if (!opened.ok) throw new ImportSourceError('The file is no ZIP file, or it is damaged.');
  const left: LeftEntry[] = [];
  const leave = (name: string, reason: string): void => {
    if (left.length < MAX_LEFT) left.push({ name: name.slice(0, MAX_NAME_CHARACTERS), reason });
  };
  let room = Math.max(MIN_ROOM_BYTES, (await stat(archive)).size * MAX_GROWTH);
  for await (const name of opened.index.names()) {
    if (name.endsWith('/')) continue; // a folder, which is made where it has files
    const entry = isSafe(name) ? await opened.index.open(name) : undefined;
    if (entry === undefined) {
      leave(name, 'The name leads elsewhere, is no name of a file, or is that of several entries');
      continue;
    }
    room -= entry.sizeBytes;
    if (room < 0) {
      entry.stream.destroy();
      throw new ImportSourceError('The ZIP file becomes too large when it is unpacked. Unpack it on the server and import the folder.');
    }
    const reason = await unpackEntry(entry.stream, join(target, name));
    if (reason !== undefined) leave(name, reason);
  }
  return left;
};

const leftOf = (target: string): string => `${target}.left.json`;
const leftEntries = z.array(z.strictObject({ name: z.string(), reason: z.string() }));

/**
 * Unpacks a ZIP file into the folder `target`, which it makes; what was unpacked before is left. Answers the entries that could not be
 * unpacked: their names lead elsewhere, are those of a file and a folder, or they are damaged. Throws an ImportSourceError where the archive
 * is damaged, or grows beyond reason.
 */
export const unpackArchive = async (archive: string, target: string): Promise<readonly LeftEntry[]> => {
  if ((await stat(target).catch(() => undefined)) !== undefined)
    return leftEntries.parse(JSON.parse(await readFile(leftOf(target), 'utf8')));
  const partial = `${target}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true });
  const left = await unpackInto(archive, partial);
  await writeFile(leftOf(target), JSON.stringify(left), { mode: 0o600 });
  await rename(partial, target);
  return left;
};

/** The only folder in a folder that has nothing else in it, as programs pack them; else the folder itself. */
export const soleFolderIn = async (path: string): Promise<string> => {
  const entries = await readdir(path, { withFileTypes: true });
  const [only] = entries;
  return entries.length === 1 && only?.isDirectory() === true ? join(path, only.name) : path;
};

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
