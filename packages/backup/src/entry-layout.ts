import { BACKUP_NAME } from '@sheaf/vocabulary/backups';

/** The names of the files in an entry, relative to it. A directory and an archive have the same ones. */
export const MANIFEST = 'manifest.json';
/** The hash of the manifest, as `sha256sum` writes and reads it. */
export const MANIFEST_HASH = 'manifest.json.sha256';
/** One line `<sha256> <bytes>` for each original, in the order of the hashes. */
export const FILES_LIST = 'files.list';
/** One line `<sha256 of the document> <bytes> <sha256 of the preview>` for each preview, in the order of the documents. */
export const PREVIEWS_LIST = 'previews.list';

const fanOut = (sha256: string): string => `${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`;

export const fileName = (sha256: string): string => `files/${fanOut(sha256)}`;
export const previewName = (sha256: string): string => `previews/${fanOut(sha256)}.pdf`;
export const tableName = (table: string): string => `database/${table}.copy.gz`;
export const configurationName = (name: string): string => `configuration/${name}`;

const KNOWN_NAMES = [
  /^(?:manifest\.json|manifest\.json\.sha256|files\.list|previews\.list)$/,
  /^configuration\/(?:effective\.json|service\.yml|roles\.yml|secrets\.json)$/,
  /^database\/[a-z_][a-z0-9_]{0,62}\.copy\.gz$/,
  /^files\/([0-9a-f]{2})\/([0-9a-f]{2})\/\1\2[0-9a-f]{60}$/,
  /^previews\/([0-9a-f]{2})\/([0-9a-f]{2})\/\1\2[0-9a-f]{60}\.pdf$/,
];

/** Whether a backup has a file of this name; any other one in an archive is a stranger's. */
export const isEntryFile = (name: string): boolean => KNOWN_NAMES.some((pattern) => pattern.test(name));

export const isEntryName = (name: string): boolean => BACKUP_NAME.test(name);

/** The name of an entry that is made at `now`; `random` are 6 hexadecimal digits. */
export const entryName = (now: Date, random: string): string =>
  `sheaf-${now.toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '')}-${random}`;

/** When the making of an entry began, by its name. */
export const entryTime = (name: string): Date => {
  const [, year, month, day, hour, minute, second] = /^sheaf-(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z/.exec(name) ?? [];
  return new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
};

/** The folder that an archive is unpacked to, with the number of the process that reads it. */
export const unpackedName = (pid: number): string => `.unpacked-${pid}-`;
export const UNPACKED_NAME = /^\.unpacked-(\d+)-/;
