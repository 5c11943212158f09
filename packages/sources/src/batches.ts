import type { Listing, RefusedEntry, RemoteFile } from './driver.ts';

const BATCH_SIZE = 500;

/** One thing that a listing found. */
export type Found = { readonly file: RemoteFile } | { readonly refused: RefusedEntry };

/** The same in batches of one size, so that many small folders make few of them. */
export const inBatches = async function* (found: AsyncIterable<readonly Found[]>): AsyncIterable<Listing> {
  let files: RemoteFile[] = [];
  let refused: RefusedEntry[] = [];
  for await (const some of found) {
    for (const one of some) {
      if ('file' in one) files.push(one.file);
      else refused.push(one.refused);
      if (files.length + refused.length < BATCH_SIZE) continue;
      yield { files, refused };
      [files, refused] = [[], []];
    }
  }
  if (files.length + refused.length > 0) yield { files, refused };
};
