import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { BackupReader } from './backup-reader.ts';
import { backupDamaged } from './errors.ts';
import { linesOf } from './lines.ts';

/** Throws BACKUP_DAMAGED where a document's bytes are neither in the backup nor among those it says are missing. */
export const requireFiles = async (client: Client, reader: Pick<BackupReader, 'manifest' | 'listFiles'>): Promise<void> => {
  const missing = new Set(reader.manifest.files.missing.map(({ sha256 }) => sha256));
  const listed = reader.listFiles()[Symbol.asyncIterator]();
  let next = await listed.next();
  const rows: AsyncIterable<Buffer> = client.query(
    copyTo('copy (select distinct sha256 collate "C" from documents order by 1) to stdout', { highWaterMark: 256 * 1024 }),
  );
  let lacking: string | undefined;
  // to its end in any case, as the connection is needed
  for await (const sha256 of linesOf(rows)) {
    while (next.done !== true && next.value.sha256 < sha256) next = await listed.next();
    if ((next.done === true || next.value.sha256 !== sha256) && !missing.has(sha256)) lacking ??= sha256;
  }
  if (lacking !== undefined) throw backupDamaged(`the file ${lacking} of a document is missing in it`);
};
