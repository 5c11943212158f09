import type { Db } from '@sheaf/db';
import type { MovablePlace } from '@sheaf/ingest/integrity';
import type { Storage, TempArea } from '@sheaf/storage';
import type { Report } from '../progress/report.ts';
import type { Tally } from './tally.ts';

/** One of the two storages, and how the paths of documents name it. */
export interface Side {
  readonly place: MovablePlace;
  readonly storage: Storage;
}

/** What all steps of moving documents from one storage to the other work with. */
export interface Transfer {
  readonly db: Db;
  readonly source: Side;
  readonly target: Side;
  /** For copies of objects while they are on their way. */
  readonly temp: TempArea;
  readonly batchSize: number;
  /** How many objects are moved at the same time. */
  readonly parallel: number;
  /** Whether old copies stay until everything has arrived. */
  readonly keepsOldCopies: boolean;
  readonly tally: Tally;
  readonly report: Report;
  /** Aborted when the tool is asked to stop. */
  readonly signal: AbortSignal;
  /** Asked before each batch. Throws TransferStopped when the documents must not be moved now. */
  readonly mayGoOn: () => Promise<void>;
}

/** There is no point in going on with the next object. */
export class TransferStopped extends Error {
  override readonly name = 'TransferStopped';
}
