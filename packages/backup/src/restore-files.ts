import type { Readable } from 'node:stream';
import { serviceUnavailable } from '@sheaf/contract';
import { documentKey, previewKey, type Storage } from '@sheaf/storage';
import type { BackupReader } from './backup-reader.ts';
import { mapInOrder } from './in-order.ts';
import { type Measure, RunningMeasure } from './measure.ts';
import type { BackupReport } from './report.ts';

/** What became of a file: it came from the backup, it was there and right, or it was there and wrong, and was replaced. */
export type Arrival = 'stored' | 'present' | 'replaced';

export type ArrivalTally = Readonly<Record<Arrival, number>>;

export interface RestoreFilesDeps {
  readonly reader: BackupReader;
  readonly storage: Storage;
  /** How many files at the same time. */
  readonly parallel: number;
  readonly signal: AbortSignal;
  readonly report: BackupReport;
}

interface KeptFile {
  readonly key: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly open: () => Readable;
}

/**
 * Puts all originals and previews of the backup into the storage, each read back and compared. An object that is there stays where its
 * bytes are right, and is replaced where they are not. Nothing is removed. May be called again after it failed.
 */
export const restoreFiles = async (deps: RestoreFilesDeps): Promise<ArrivalTally> => {
  const { files, previews } = deps.reader.manifest;
  const tally: Record<Arrival, number> = { stored: 0, present: 0, replaced: 0 };
  deps.report.begin('files', { files: files.count + previews.count, bytes: files.bytes + previews.bytes });
  const arrivals = mapInOrder(listKeptFiles(deps.reader), deps.parallel, async (file) => {
    deps.signal.throwIfAborted();
    const arrival = await putRight(deps, file);
    deps.report.advance(file.sizeBytes);
    return arrival;
  });
  for await (const arrival of arrivals) tally[arrival] += 1;
  return tally;
};

const listKeptFiles = async function* (reader: BackupReader): AsyncGenerator<KeptFile> {
  for await (const { sha256, sizeBytes } of reader.listFiles())
    yield { key: documentKey(sha256), sizeBytes, sha256, open: () => reader.file(sha256) };
  for await (const preview of reader.listPreviews())
    yield { key: previewKey(preview.documentSha256), ...preview, open: () => reader.preview(preview) };
};

const putRight = async (deps: RestoreFilesDeps, file: KeptFile): Promise<Arrival> => {
  const { storage } = deps;
  const isThere = (await storage.stat(file.key)) !== undefined;
  if (isThere && (await isRight(deps, file))) return 'present';
  // never shared with the backup, which a path would allow
  if (isThere) await storage.replace(file.key, file.open());
  else await storage.put(file.key, file.open());
  const { bytes, sha256 } = await measureStored(deps, file.key);
  if (bytes === file.sizeBytes && sha256 === file.sha256) return isThere ? 'replaced' : 'stored';
  throw serviceUnavailable(
    `The storage ${storage.place} returned different bytes than were written for ${file.key}. Check its disk and memory.`,
  );
};

const isRight = async (deps: RestoreFilesDeps, { key, sizeBytes, sha256 }: KeptFile): Promise<boolean> => {
  try {
    const stored = await measureStored(deps, key);
    return stored.bytes === sizeBytes && stored.sha256 === sha256;
  } catch {
    deps.signal.throwIfAborted();
    return false; // what cannot be read is to be replaced; where the storage itself is away, that tells so
  }
};

const measureStored = async ({ storage, signal }: RestoreFilesDeps, key: string): Promise<Measure> => {
  const running = new RunningMeasure();
  const { stream } = await storage.open(key);
  const chunks: AsyncIterable<Uint8Array> = stream;
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    running.add(chunk);
  }
  return running.finish();
};
