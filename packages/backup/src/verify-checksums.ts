import { AppError } from '@sheaf/contract';
import type { BackupReader, VerifyOptions } from './backup-reader.ts';
import { mapInOrder } from './in-order.ts';

/** Small files cost rather steps than bytes. */
const AT_ONCE = 4;

/** Reads and hashes everything in the backup, and says what is wrong. Rejects where it cannot be read at all, or is aborted. */
export const verifyChecksums = async (reader: BackupReader, options: VerifyOptions = {}): Promise<readonly string[]> => {
  const findings: string[] = [];
  const { database, configuration } = reader.manifest;
  const look = async (work: () => Promise<unknown>): Promise<void> => {
    const finding = await findingOf(work);
    if (finding !== undefined) findings.push(finding);
  };
  for (const { name } of database.tables) await look(() => readAll(reader.table(name), options));
  for (const { name } of configuration.files) await look(() => reader.configuration(name));
  await look(() => verifyFiles(reader, look, options));
  await look(() => verifyPreviews(reader, look, options));
  return findings;
};

type Look = (work: () => Promise<unknown>) => Promise<void>;

const findingOf = async (work: () => Promise<unknown>): Promise<string | undefined> => {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof AppError && error.code === 'BACKUP_DAMAGED') return error.message;
    throw error;
  }
};

const verifyFiles = (reader: BackupReader, look: Look, options: VerifyOptions): Promise<void> =>
  lookAtEach(reader.listFiles(), look, ({ sha256 }) => readAll(reader.file(sha256), options));

const verifyPreviews = (reader: BackupReader, look: Look, options: VerifyOptions): Promise<void> =>
  lookAtEach(reader.listPreviews(), look, (preview) => readAll(reader.preview(preview), options));

const lookAtEach = async <T>(items: AsyncIterable<T>, look: Look, work: (item: T) => Promise<void>): Promise<void> => {
  for await (const _ of mapInOrder(items, AT_ONCE, (item) => look(() => work(item)))); // its findings are noted by `look`
};

const readAll = async (source: AsyncIterable<Buffer>, { signal, onFile }: VerifyOptions): Promise<void> => {
  let bytes = 0;
  for await (const chunk of source) {
    signal?.throwIfAborted();
    bytes += chunk.length;
  }
  onFile?.(bytes);
};
