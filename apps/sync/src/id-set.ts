const BITS_OF_CHUNK = 65_536;

/** A set of row ids, one bit each: a million of them that lie together take 125 KB. */
export class IdSet {
  readonly #chunks = new Map<number, Uint8Array>();

  add(id: number): void {
    const chunk = this.#chunkOf(id) ?? this.#makeChunk(id);
    const bit = id % BITS_OF_CHUNK;
    chunk[bit >>> 3] = (chunk[bit >>> 3] ?? 0) | (1 << (bit & 7));
  }

  has(id: number): boolean {
    const bit = id % BITS_OF_CHUNK;
    return (((this.#chunkOf(id)?.[bit >>> 3] ?? 0) >>> (bit & 7)) & 1) === 1;
  }

  #chunkOf(id: number): Uint8Array | undefined {
    return this.#chunks.get(Math.floor(id / BITS_OF_CHUNK));
  }

  #makeChunk(id: number): Uint8Array {
    const chunk = new Uint8Array(BITS_OF_CHUNK / 8);
    this.#chunks.set(Math.floor(id / BITS_OF_CHUNK), chunk);
    return chunk;
  }
}
