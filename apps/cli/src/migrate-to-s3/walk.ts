import { listBytesAt, type MovablePlace, type ReferencedBytes } from '@sheaf/ingest/integrity';
import { type Transfer, TransferStopped } from './transfer.ts';

/** The items as long as the tool may go on: asked to stop at each of them, the service's processes looked at once a batch. Throws TransferStopped. */
export async function* whileAllowed<T>({ signal, mayGoOn, batchSize }: Transfer, items: AsyncIterable<T>): AsyncGenerator<T> {
  let count = 0;
  for await (const item of items) {
    if (signal.aborted) throw new TransferStopped('stopped by a signal');
    if (count % batchSize === 0) await mayGoOn();
    count += 1;
    yield item;
  }
}

/** All bytes of which documents say that they are at `place`, fetched batch by batch. */
export async function* walkBytesAt({ db, batchSize }: Transfer, place: MovablePlace): AsyncGenerator<ReferencedBytes> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const batch: ReferencedBytes[] = await listBytesAt(db, place, after, batchSize);
    yield* batch;
    after = batch.at(-1)?.sha256;
  }
}
