import { accessSync, constants, lstatSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { errorCode } from '@sheaf/contract';
import type { Values } from './parse.ts';

/** What the service does in a folder of its own, and in one that others fill. */
const NEEDED = { own: constants.R_OK | constants.W_OK | constants.X_OK, read: constants.R_OK | constants.X_OK } as const;

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

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'its file system is read-only',
  ENOENT: 'it is a link to a folder that does not exist',
  ELOOP: 'its links lead to each other',
};
const reasonOf = (error: unknown): string => REASONS[errorCode(error) ?? ''] ?? (error instanceof Error ? error.message : String(error));

/** Why the folder at `path` cannot be used, or made, with its remedy; undefined where it can. Makes nothing itself. */
const findFault = (path: string, need: keyof typeof NEEDED): string | undefined => {
  const folder = resolve(path);
  try {
    const found = nearestExisting(folder);
    if (!statSync(found).isDirectory()) return `cannot be a folder: ${found} is a file; remove it, or choose another folder`;
    accessSync(found, found === folder ? NEEDED[need] : NEEDED.own);
    return undefined;
  } catch (error) {
    return `cannot be used as a folder: ${reasonOf(error)}; choose another folder, or change its owner or its mount`;
  }
};

type FolderVariable =
  | 'UPLOAD_PATH'
  | 'TEMP_STORAGE_PATH'
  | 'THUMBNAIL_PATH'
  | 'WATCH_FOLDER'
  | 'USER_WATCH_BASE_DIR'
  | 'PROCESSED_FILES_DIR';

const NEEDS: Readonly<Record<FolderVariable, keyof typeof NEEDED>> = {
  UPLOAD_PATH: 'own',
  TEMP_STORAGE_PATH: 'own',
  THUMBNAIL_PATH: 'own',
  WATCH_FOLDER: 'read',
  USER_WATCH_BASE_DIR: 'own',
  PROCESSED_FILES_DIR: 'own',
};

/** Folders of features that are off may lie anywhere. */
const isUsed = (variable: FolderVariable, values: Partial<Values>): boolean => {
  if (variable === 'USER_WATCH_BASE_DIR') return values.ENABLE_PER_USER_WATCH === true;
  if (variable === 'PROCESSED_FILES_DIR') return values.MOVE_AFTER_PROCESSING === true;
  return true;
};

/**
 * Whether the folder of a variable can be used. Nothing is said below a supervisor, which has looked when it started: a disk that
 * went since is no mistake of the settings, and a process that is started again then tells of it by its health.
 */
export const checkFolder =
  (variable: FolderVariable) =>
  (values: Partial<Values>): string | undefined => {
    const path = values[variable];
    if (path === undefined || values.SUPERVISOR_PROBE_PORT !== undefined || !isUsed(variable, values)) return undefined;
    return findFault(path, NEEDS[variable]);
  };
