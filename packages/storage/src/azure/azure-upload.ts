import { createHash } from 'node:crypto';
import type { BlockBlobClient } from '@azure/storage-blob';
import { type ByteBudget, type Piece, piecesOf, type SpooledSource } from '../remote/pieces.ts';

/** Up to this an object is sent by one request, and in pieces of it above. */
export const PIECE_BYTES = 8 * 1024 * 1024;
/** Pieces of an object on their way at once. What all uploads together hold in memory is the budget's. */
const PIECES_AT_ONCE = 4;

export interface Upload {
  readonly blob: BlockBlobClient;
  readonly source: SpooledSource;
  /** What the bytes must have; undefined where it is not known. */
  readonly sha256: string | undefined;
  /** Rejects with the service's own error where there is an object already. */
  readonly onlyIfAbsent: boolean;
  readonly budget: ByteBudget;
  /** Runs one request, again where that may help. */
  readonly ask: <T>(sentBytes: number, attempt: (signal: AbortSignal) => Promise<T>) => Promise<T>;
}

/** Sends an object; it appears whole or not at all. Each request carries a checksum, which the service compares. */
export const upload = (task: Upload): Promise<void> => (task.source.sizeBytes <= PIECE_BYTES ? uploadAtOnce(task) : uploadInPieces(task));

const cutOf = ({ sha256, budget }: Upload) => ({ pieceBytes: PIECE_BYTES, sha256, budget });

const conditionsOf = ({ onlyIfAbsent }: Upload) => (onlyIfAbsent ? { ifNoneMatch: '*' } : {});

const uploadAtOnce = async (task: Upload): Promise<void> => {
  const { blob, ask, source } = task;
  const held: Piece[] = [];
  try {
    for await (const piece of piecesOf(source, cutOf(task))) held.push(piece); // one; after it the hash was right
    const bytes = held[0]?.bytes ?? Buffer.alloc(0);
    const options = { conditions: conditionsOf(task), transactionalContentMD5: md5Of(bytes) };
    await ask(bytes.length, (abortSignal) => blob.upload(bytes, bytes.length, { ...options, abortSignal }));
  } finally {
    for (const piece of held) piece[Symbol.dispose]();
  }
};

const uploadInPieces = async (task: Upload): Promise<void> => {
  const { blob, ask, source } = task;
  const sender = new PieceSender(task);
  try {
    for await (const piece of piecesOf(source, cutOf(task))) await sender.send(piece);
    await sender.finish();
  } finally {
    await sender.settle();
  }
  await ask(0, (abortSignal) => blob.commitBlockList(sender.ids, { conditions: conditionsOf(task), abortSignal }));
};

/** Sends pieces, some at once. They are no object until they are committed; the service forgets them after a week. */
class PieceSender {
  readonly ids: string[] = [];
  readonly #task: Upload;
  #onTheWay: Promise<void>[] = [];

  constructor(task: Upload) {
    this.#task = task;
  }

  /** Returns as soon as there is room for the next one. */
  async send(piece: Piece): Promise<void> {
    const sending = this.#stage(piece);
    sending.catch(() => {}); // told by whoever waits for it
    this.#onTheWay.push(sending);
    if (this.#onTheWay.length >= PIECES_AT_ONCE) await this.#onTheWay.shift();
  }

  async finish(): Promise<void> {
    await Promise.all(this.#onTheWay);
  }

  /** Nothing is on its way any more. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#onTheWay);
  }

  async #stage(piece: Piece): Promise<void> {
    using held = piece;
    const { blob, ask } = this.#task;
    const transactionalContentMD5 = md5Of(held.bytes);
    // Of place and content, so that whoever sends the same object at the same time sends the same pieces.
    const id = Buffer.from(`${String(held.number).padStart(6, '0')}-${transactionalContentMD5.toString('hex')}`).toString('base64');
    this.ids.push(id);
    const { length } = held.bytes;
    await ask(length, (abortSignal) => blob.stageBlock(id, held.bytes, length, { abortSignal, transactionalContentMD5 }));
  }
}

const md5Of = (bytes: Uint8Array): Buffer => createHash('md5').update(bytes).digest();
