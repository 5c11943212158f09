import { closeSync, lstatSync, mkdtempSync, opendirSync, openSync, rmdirSync, statSync, unlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { getSystemErrorMap } from 'node:util';
import { errorCode } from '@sheaf/contract';
import { secretsState } from './generated-secrets.ts';
import { type ConfigIssue, parseValues, type RawValues, type Values } from './parse.ts';
import { type FolderBelowUploads, folderBelowUploads } from './storage.ts';
import type { FolderUse, ProgramName } from './variable.ts';
import { VARIABLES, type VariableName } from './variables.ts';

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** The folder itself, or the nearest one above that is there: what is missing is made at the first start. */
export const nearestExisting = (path: string): string => {
  try {
    statSync(path);
    return path;
  } catch (error) {
    const code = errorCode(error);
    const isMissing = code === 'ENOTDIR' || (code === 'ENOENT' && !isThere(path));
    if (isMissing && dirname(path) !== path) return nearestExisting(dirname(path));
    throw error;
  }
};

/** What the system says, as it is printed everywhere: `permission denied (EACCES)`. */
export const systemReason = (error: unknown): string => {
  const errno = error instanceof Error && 'errno' in error && typeof error.errno === 'number' ? error.errno : 0;
  const [code, text] = getSystemErrorMap().get(errno) ?? [];
  return code === undefined || text === undefined ? (error instanceof Error ? error.message : String(error)) : `${text} (${code})`;
};

const PREFIX = '.sheaf-test-';

/** What is wrong while a disk is full is no mistake of the settings: a service that runs tells of it and goes on by itself. */
const FULL: readonly (string | undefined)[] = ['ENOSPC', 'EDQUOT'];

const unlessFull = (attempt: () => void): void => {
  try {
    attempt();
  } catch (error) {
    if (!FULL.includes(errorCode(error))) throw error;
  }
};

const makeFolderIn = (parent: string): void => rmdirSync(mkdtempSync(join(parent, PREFIX)));

const writeIn = (folder: string): void => {
  const path = join(folder, `${PREFIX}${process.pid}-${Math.random().toString(36).slice(2)}`);
  closeSync(openSync(path, 'wx', 0o600));
  unlinkSync(path);
};

const lookInto = (folder: string): void => {
  const names = opendirSync(folder);
  try {
    names.readSync();
  } finally {
    names.closeSync();
  }
};

/** Does what the service will do there, and leaves nothing behind. A missing folder is tried by making another one at its place. */
const tryFolder = (folder: string, found: string, use: FolderUse): void => {
  if (found !== folder) return unlessFull(() => makeFolderIn(found));
  lookInto(folder);
  if (use === 'own') unlessFull(() => writeIn(folder));
};

/** Why the folder at `path` cannot be used, with its remedy; undefined where it can. */
const findFault = (path: string, use: FolderUse): string | undefined => {
  const folder = resolve(path);
  try {
    const found = nearestExisting(folder);
    if (!statSync(found).isDirectory()) return `cannot be a folder: ${found} is not a folder; move it away, or choose another folder`;
    if (use !== 'others' || found === folder) tryFolder(folder, found, use);
    return undefined;
  } catch (error) {
    return `cannot be used as a folder: ${folder}: ${systemReason(error)}; choose another folder, or change its owner or its mount`;
  }
};

/** Folders of features that are off may lie anywhere. */
const IS_USED: Partial<Record<VariableName, (values: Partial<Values>) => boolean>> = {
  USER_WATCH_BASE_DIR: (values) => values.ENABLE_PER_USER_WATCH === true,
  PROCESSED_FILES_DIR: (values) => values.MOVE_AFTER_PROCESSING === true,
  LOCAL_SOURCE_ROOTS: (values) => values.FEATURE_SOURCES !== false,
  OCR_ENGINE_DATA_PATH: (values) => values.OCR_ENGINE === 'local',
};

interface UsedFolder {
  readonly variable: VariableName;
  readonly path: string;
  readonly use: FolderUse;
}

const isBelowUploads = (variable: VariableName): variable is FolderBelowUploads =>
  (['TEMP_STORAGE_PATH', 'THUMBNAIL_PATH', 'BACKUP_PATH'] satisfies FolderBelowUploads[] as VariableName[]).includes(variable);

const pathsOf = (variable: VariableName, values: Partial<Values>): readonly string[] => {
  const { UPLOAD_PATH } = values;
  if (isBelowUploads(variable)) {
    // without a good UPLOAD_PATH, that one is named
    return values[variable] === undefined && UPLOAD_PATH === undefined
      ? []
      : [folderBelowUploads(variable, { ...values, UPLOAD_PATH: UPLOAD_PATH ?? '' })];
  }
  const value = values[variable];
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
};

/** Nobody has to write beside secrets that are there, such as on a mount of secrets. */
const useOf = (variable: VariableName, use: FolderUse, path: string): FolderUse =>
  variable === 'DATA_PATH' && secretsState(path) === 'good' ? 'watched' : use;

/** Every folder that the service uses with these values, by the declarations of the variables. */
export const usedFolders = (values: Partial<Values>): UsedFolder[] =>
  (Object.keys(VARIABLES) as VariableName[]).flatMap((variable) => {
    const { folderUse } = VARIABLES[variable];
    if (folderUse === undefined || IS_USED[variable]?.(values) === false) return [];
    return pathsOf(variable, values).map((path) => ({ variable, path: resolve(path), use: useOf(variable, folderUse, path) }));
  });

interface FolderTrial {
  /** Variables that are not tried: they are known to be wrong. */
  readonly known?: readonly string[];
  /** Which program is about to start, where it is not the whole service: it tries the folders that it uses itself. */
  readonly program?: ProgramName | undefined;
}

const isUsedBy = (variable: VariableName, program: ProgramName | undefined): boolean =>
  program === undefined || VARIABLES[variable].usedBy?.includes(program) !== false;

/**
 * Tries every folder that the service uses. Below a supervisor, which has tried
 * them when it started, nothing is said but of DATA_PATH: a disk that went since is no mistake of the settings, and a process that is
 * started again then tells of it by its health.
 */
export const folderIssues = (values: Partial<Values>, { known = [], program }: FolderTrial = {}): ConfigIssue[] => {
  const isSupervised = values.SUPERVISOR_PROBE_PORT !== undefined;
  const wrong = new Set(known);
  return usedFolders(values).flatMap(({ variable, path, use }) => {
    if (wrong.has(variable) || !isUsedBy(variable, program) || (isSupervised && variable !== 'DATA_PATH')) return [];
    if (wrong.has('UPLOAD_PATH') && isBelowUploads(variable) && values[variable] === undefined) return [];
    const message = findFault(path, use);
    if (message === undefined) return [];
    wrong.add(variable);
    return [{ variable, message }];
  });
};

/** A line for each folder of others that is not there: a disk may be mounted later. */
export const missingFolderNotices = (values: Partial<Values>, isGiven: (variable: VariableName) => boolean): string[] =>
  usedFolders(values).flatMap(({ variable, path, use }) =>
    use === 'others' && isGiven(variable) && !isThere(path) ? [`${variable}: the folder ${path} does not exist`] : [],
  );

/** The folder of the configuration that a failing system call was about. */
export interface FolderFailure {
  readonly variable: VariableName;
  readonly path: string;
  /** What the system says. */
  readonly reason: string;
}

/** Of the error, or of what caused it; undefined where it is about no folder of the configuration. */
export const findFolderFailure = (error: unknown, raw: RawValues): FolderFailure | undefined => {
  if (!(error instanceof Error)) return undefined;
  const path = 'syscall' in error && 'path' in error && typeof error.path === 'string' ? resolve(error.path) : undefined;
  if (path === undefined) return findFolderFailure(error.cause, raw);
  const nearest = usedFolders(parseValues(raw).values)
    .filter((folder) => path === folder.path || path.startsWith(`${folder.path}/`) || folder.path.startsWith(`${path}/`))
    .toSorted((a, b) => b.path.length - a.path.length)[0];
  return nearest && { variable: nearest.variable, path, reason: systemReason(error) };
};
