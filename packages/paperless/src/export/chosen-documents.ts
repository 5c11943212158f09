import type { Db } from '@sheaf/db';
import { asc, gt } from '@sheaf/db/drizzle';
import { documents } from '@sheaf/db/schema';
import { findMatching } from '@sheaf/search';
import type { Principal } from '@sheaf/vocabulary/permissions';

const BATCH = 5_000;
const ID_BYTES = 16;

/** Who may read everything: the one who runs a command on the machine of the service. */
const EVERYTHING: Principal = {
  userId: '00000000-0000-0000-0000-000000000000',
  username: '',
  role: 'admin',
  permissions: ['*'],
  via: 'disabled-auth',
};

const toBytes = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');

const toId = (bytes: Buffer): string => {
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};

/** Ids in their order, in 16 bytes each, and their places, which are the numbers of the documents in an export. */
export class ChosenDocuments {
  #bytes = Buffer.alloc(BATCH * ID_BYTES);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** `id` has to come behind all that are there. */
  add(id: string): void {
    const at = this.#count * ID_BYTES;
    if (at + ID_BYTES > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#bytes.length)]);
    toBytes(id).copy(this.#bytes, at);
    this.#count += 1;
  }

  /** From 1 on; undefined for a document that was not chosen. */
  numberOf(id: string): number | undefined {
    const wanted = toBytes(id);
    let [low, high] = [0, this.#count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = this.#at(middle).compare(wanted);
      if (order === 0) return middle + 1;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return undefined;
  }

  /** In parts of `size`. */
  *parts(size: number): Generator<readonly string[]> {
    for (let from = 0; from < this.#count; from += size)
      yield Array.from({ length: Math.min(size, this.#count - from) }, (_, index) => toId(this.#at(from + index)));
  }

  #at(index: number): Buffer {
    return this.#bytes.subarray(index * ID_BYTES, (index + 1) * ID_BYTES);
  }
}

const listAfter = async (db: Db, after: string | undefined): Promise<string[]> => {
  const rows = await db
    .select({ id: documents.id })
    .from(documents)
    .where(after === undefined ? undefined : gt(documents.id, after))
    .orderBy(asc(documents.id))
    .limit(BATCH);
  return rows.map(({ id }) => id);
};

/** The documents of the whole library, or those that a query finds for an administrator. */
export const chooseDocuments = async (db: Db, query: string | undefined): Promise<ChosenDocuments> => {
  const chosen = new ChosenDocuments();
  for (let after: string | undefined; ; ) {
    const ids =
      query === undefined ? await listAfter(db, after) : await findMatching(db, EVERYTHING, { query, filters: {}, after, limit: BATCH });
    for (const id of ids) chosen.add(id);
    after = ids.at(-1);
    if (ids.length < BATCH) return chosen;
  }
};
