import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { RawValues, Values } from './parse.ts';

/** How one folder lies to another one, with all links followed; also when neither exists yet. */
type FolderRelation = 'same' | 'inside' | 'contains' | 'apart';

/** As many links in a row as Linux follows. */
const MAX_LINKS = 40;

export const folderRelation = (path: string, other: string): FolderRelation => {
  const [here, there] = [canonical(path), canonical(other)];
  if (here === there) return 'same';
  if (isBelow(here, there)) return 'inside';
  return isBelow(there, here) ? 'contains' : 'apart';
};

const isBelow = (inner: string, outer: string): boolean => inner.startsWith(outer.endsWith('/') ? outer : `${outer}/`);

/** `path` with all links followed, also where its last parts do not exist yet, and where a link leads to what will be made later. */
const canonical = (path: string, links = 0): string => {
  const absolute = resolve(path);
  try {
    return realpathSync(absolute);
  } catch {
    const parent = dirname(absolute);
    if (parent === absolute) return absolute;
    const target = links < MAX_LINKS ? linkTarget(absolute) : undefined;
    return target === undefined
      ? join(canonical(parent, links), basename(absolute))
      : canonical(resolve(canonical(parent, links), target), links + 1);
  }
};

const linkTarget = (path: string): string | undefined => {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // no link, or nothing at all
  }
};

type Check = (values: Partial<Values>, raw: RawValues) => string | undefined;

/** A folder that another one must keep away from: which relations are refused, and why. */
interface Neighbour {
  readonly label: string;
  /** Undefined where it takes no part. */
  readonly find: (values: Partial<Values>, raw: RawValues) => string | undefined;
  readonly refused: Partial<Record<FolderRelation, string>>;
}

const VERBS = { same: 'be the same folder as', inside: 'be inside', contains: 'contain', apart: '' } as const;

/** Whether the folder lies where it may. */
const keepAwayFrom =
  (variable: 'WATCH_FOLDER' | 'USER_WATCH_BASE_DIR' | 'PROCESSED_FILES_DIR', neighbours: readonly Neighbour[]): Check =>
  (values, raw) => {
    const path = values[variable];
    if (path === undefined || !takesPart(variable, values, raw)) return undefined;
    for (const { label, find, refused } of neighbours) {
      const other = find(values, raw);
      const relation = other === undefined ? 'apart' : folderRelation(path, other);
      const reason = refused[relation];
      if (reason !== undefined) return `must not ${VERBS[relation]} ${label}, ${reason}; choose a separate folder`;
    }
    return undefined;
  };

const isGiven = (variable: keyof Values, raw: RawValues): boolean => (raw[variable]?.origin ?? 'default') !== 'default';

/** The folder of a feature that is off says nothing while nobody named it: its default may lie anywhere. */
const takesPart = (variable: keyof Values, values: Partial<Values>, raw: RawValues): boolean => {
  if (variable === 'USER_WATCH_BASE_DIR') return values.ENABLE_PER_USER_WATCH === true || isGiven(variable, raw);
  if (variable === 'PROCESSED_FILES_DIR') return values.MOVE_AFTER_PROCESSING === true || isGiven(variable, raw);
  return true;
};

const folderOf = (
  variable: 'UPLOAD_PATH' | 'WATCH_FOLDER' | 'USER_WATCH_BASE_DIR' | 'TEMP_STORAGE_PATH' | 'THUMBNAIL_PATH' | 'DATA_PATH',
) => ({
  label: variable,
  find: (values: Partial<Values>, raw: RawValues) => (takesPart(variable, values, raw) ? values[variable] : undefined),
});

const UPLOADS: Neighbour = {
  ...folderOf('UPLOAD_PATH'),
  refused: {
    same: 'because stored documents and watched files would mix',
    inside: 'because watched files would mix with stored documents',
    contains: 'because every stored document would be imported again',
  },
};

/** Folders of the service itself. One volume may hold them all: a folder inside DATA_PATH is well, beside the database. */
const OWN_FOLDERS: readonly Neighbour[] = [
  {
    ...folderOf('TEMP_STORAGE_PATH'),
    refused: {
      same: 'where old files are deleted',
      inside: 'where old files are deleted',
      contains: 'because incomplete temporary files would be imported',
    },
  },
  {
    ...folderOf('THUMBNAIL_PATH'),
    refused: {
      same: 'because thumbnails and watched files would mix',
      inside: 'because watched files would mix with thumbnails',
      contains: 'because thumbnails would be imported',
    },
  },
  {
    ...folderOf('DATA_PATH'),
    refused: {
      same: 'which holds the secrets and the database',
      contains: 'because the secrets and the database would be watched',
    },
  },
  {
    label: 'DATA_PATH/postgres',
    find: ({ DATA_PATH }) => (DATA_PATH === undefined ? undefined : join(DATA_PATH, 'postgres')),
    refused: { same: 'which holds the database', inside: 'which holds the database' },
  },
];

const IMPORTED_TWICE = 'because files would be found in both and belong to two owners';

/**
 * Which folders must lie apart. `USER_WATCH_BASE_DIR` and `PROCESSED_FILES_DIR` are judged when they are set, or when what they are
 * for is enabled.
 */
export const WATCH_CHECKS: Readonly<Record<string, Check>> = {
  WATCH_FOLDER: keepAwayFrom('WATCH_FOLDER', [UPLOADS, ...OWN_FOLDERS]),
  USER_WATCH_BASE_DIR: keepAwayFrom('USER_WATCH_BASE_DIR', [
    UPLOADS,
    { ...folderOf('WATCH_FOLDER'), refused: { same: IMPORTED_TWICE, inside: IMPORTED_TWICE, contains: IMPORTED_TWICE } },
    ...OWN_FOLDERS,
  ]),
  PROCESSED_FILES_DIR: keepAwayFrom('PROCESSED_FILES_DIR', [
    UPLOADS,
    // inside is well: it is left out of the scans
    {
      ...folderOf('WATCH_FOLDER'),
      refused: { same: 'because files would be moved to their own location', contains: 'because new files would mix with processed ones' },
    },
    {
      ...folderOf('USER_WATCH_BASE_DIR'),
      refused: {
        same: 'because folders of processed files would count as watch folders of users',
        inside: 'because its name would count as a user name',
        contains: 'because new files would mix with processed ones',
      },
    },
    ...OWN_FOLDERS,
  ]),
};
