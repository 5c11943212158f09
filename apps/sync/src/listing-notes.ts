import type { Source, SourceFile } from '@sheaf/db/schema';
import { type IngestDeps, noteSourceFiles, toLedgerPath } from '@sheaf/ingest';
import type { Listing, RefusedEntry, RemoteFile } from '@sheaf/sources';
import { findSourceFiles, rememberIgnored } from '@sheaf/sources';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';

/** A listed file under its name in the ledger. */
export interface ListedFile {
  readonly path: string;
  readonly file: RemoteFile;
  /** Why the driver does not give it. */
  readonly refusal: LedgerReason | undefined;
}

const NOTHING_KNOWN = { sizeBytes: undefined, modifiedAt: undefined, etag: undefined };

const toListed = (file: RemoteFile, refusal?: LedgerReason): ListedFile => ({ path: toLedgerPath(file.path), file, refusal });
const refusedToListed = ({ path, reason }: RefusedEntry): ListedFile => toListed({ path, ...NOTHING_KNOWN }, reason);

/** What a batch of a listing names, each name once, and what is known of each. */
export const lookUpListed = async (
  { files, refused }: Listing,
  sourceId: string,
  { db }: IngestDeps,
): Promise<readonly { readonly listed: ListedFile; readonly known: SourceFile | undefined }[]> => {
  const all = [...refused.map(refusedToListed), ...files.map((file) => toListed(file))];
  const byPath = new Map(all.map((listed) => [listed.path, listed]));
  const known = new Map((await findSourceFiles(db, sourceId, [...byPath.keys()])).map((file) => [file.path, file]));
  return [...byPath.values()].map((listed) => ({ listed, known: known.get(listed.path) }));
};

export interface IgnoredListed {
  readonly listed: ListedFile;
  readonly reason: LedgerReason;
}

/** Writes down files that are not fetched, and why. */
export const noteIgnored = async (ignored: readonly IgnoredListed[], source: Source, { db }: IngestDeps): Promise<void> => {
  if (ignored.length === 0) return;
  const { id: sourceId, ownerId, type: route } = source;
  await db.transaction(async (tx) => {
    const files = ignored.map(({ listed: { path, file } }) => ({ path, version: file, wasOpened: false }));
    await rememberIgnored(tx, sourceId, files);
    await noteSourceFiles(
      tx,
      ignored.map(({ listed: { path, file }, reason }) => {
        const { sizeBytes, modifiedAt } = file;
        const filename = file.path.slice(file.path.lastIndexOf('/') + 1);
        return {
          file: { route, sourceId, ownerId, filename, ledgerPath: path, sizeBytes, modifiedAt },
          fate: { state: 'ignored', reason },
        };
      }),
    );
  });
};
