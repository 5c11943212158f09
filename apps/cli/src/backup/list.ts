import { stat } from 'node:fs/promises';
import { type BackupEntry, listEntries, readEntryManifest } from '@sheaf/backup';
import { AppError } from '@sheaf/contract';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { formatBytes, formatCount } from '../progress/progress.ts';

/** The time in its name is that of its beginning. */
const describeEntry = async ({ path, isArchive }: BackupEntry): Promise<string> => {
  // What is in an archive is known only to who reads it to its end.
  if (isArchive) return `archive of ${formatBytes((await stat(path)).size)}`;
  try {
    const { schema_version, files, database, configuration } = await readEntryManifest(path);
    const bytes = database.tables.reduce((sum, table) => sum + table.bytes, files.bytes);
    const losses = files.missing.length === 0 ? '' : `, ${formatCount(files.missing.length)} files missing`;
    const secrets = configuration.has_secrets ? ', with secrets' : '';
    return `${formatCount(files.count)} files, ${formatBytes(bytes)}, schema ${schema_version}${secrets}${losses}`;
  } catch (error) {
    if (error instanceof AppError) return 'damaged: it has no readable manifest';
    throw error;
  }
};

/** Prints the whole backups of `folder`, the oldest first, and returns the exit code. */
export const list = async (folder: string): Promise<number> => {
  const entries = await listEntries(folder);
  for (const entry of entries.toReversed()) process.stdout.write(`${entry.path}  ${await describeEntry(entry)}\n`);
  return EXIT.done;
};
