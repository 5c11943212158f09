import { FILES_LIST, PREVIEWS_LIST } from './entry-layout.ts';
import { mapInOrder } from './in-order.ts';
import { type KeepDeps, type KeptOriginal, keepOriginal, type Origin } from './keep-original.ts';
import { keepPreview } from './keep-preview.ts';
import { ListWriter } from './list-writer.ts';
import type { BackupManifest, MissingFile } from './manifest.ts';
import type { Measure } from './measure.ts';
import { type Original, readOriginals } from './originals.ts';

/** Enough to keep a disk busy, and to hide the way to a storage that is far. */
const AT_ONCE = 8;

/** How many originals came from where. */
export type FileTally = Readonly<Record<Origin, number>> & {
  /** Those that were read from the storage. */
  readonly copiedBytes: number;
};

export interface KeepFilesOptions {
  /** The list that `dumpDatabase` wrote. */
  readonly originalsPath: string;
  /** Told of each file that is in the entry, or lost. */
  readonly onFile: (sizeBytes: number) => void;
}

/** Puts the originals of the snapshot into the entry, with their list. */
export const keepOriginals = async (
  deps: KeepDeps,
  { originalsPath, onFile }: KeepFilesOptions,
): Promise<{ files: BackupManifest['files']; tally: FileTally }> => {
  await using list = await ListWriter.open(deps.writer, FILES_LIST);
  const missing: MissingFile[] = [];
  const tally = { linked: 0, resumed: 0, copied: 0, rescued: 0, copiedBytes: 0 };
  for await (const { original, kept } of keepEach(deps, originalsPath)) {
    onFile(original.sizeBytes);
    if (kept.kind === 'lost') {
      missing.push({ sha256: original.sha256, document_ids: [...original.documentIds], reason: kept.reason });
      continue;
    }
    tally[kept.origin] += 1;
    if (kept.origin === 'copied') tally.copiedBytes += kept.sizeBytes;
    await list.add(`${original.sha256} ${kept.sizeBytes}`, kept.sizeBytes);
  }
  return { files: { ...(await list.finish()), missing }, tally };
};

const keepEach = (deps: KeepDeps, originalsPath: string): AsyncIterable<{ original: Original; kept: KeptOriginal }> =>
  mapInOrder(readOriginals(originalsPath), AT_ONCE, async (original) => {
    deps.signal.throwIfAborted();
    return { original, kept: await keepOriginal(deps, original) };
  });

/** Puts the previews of the originals into the entry, with their list. */
export const keepPreviews = async (deps: KeepDeps, { originalsPath, onFile }: KeepFilesOptions): Promise<BackupManifest['previews']> => {
  await using list = await ListWriter.open(deps.writer, PREVIEWS_LIST);
  for await (const { original, kept } of keepEachPreview(deps, originalsPath)) {
    if (kept === undefined) continue;
    onFile(kept.bytes);
    await list.add(`${original.sha256} ${kept.bytes} ${kept.sha256}`, kept.bytes);
  }
  return await list.finish();
};

const keepEachPreview = (deps: KeepDeps, originalsPath: string): AsyncIterable<{ original: Original; kept: Measure | undefined }> =>
  mapInOrder(withPreviews(originalsPath), AT_ONCE, async (original) => {
    deps.signal.throwIfAborted();
    return { original, kept: await keepPreview(deps, original.sha256) };
  });

const withPreviews = async function* (originalsPath: string): AsyncGenerator<Original> {
  for await (const original of readOriginals(originalsPath)) if (original.hasPreview) yield original;
};
