import type { Problem } from '../interface/problem.ts';

/** 'storing': it has gone out whole, and nothing was heard of it yet. */
export type UploadState =
  | 'waiting'
  | 'sending'
  | 'storing'
  | 'stored'
  | 'reading'
  | 'read'
  | 'notRead'
  | 'duplicate'
  /** Its document is in the trash. */
  | 'trashed'
  | 'restored'
  | 'failed'
  | 'cancelled';

export interface Upload {
  readonly id: number;
  readonly file: File;
  readonly state: UploadState;
  /** 0 to 1, of what is sent or read at the moment. */
  readonly share: number;
  /** What it became, or is a duplicate of. */
  readonly documentId?: string | undefined;
  readonly problem?: Problem | undefined;
  /** Why its document could not be read. */
  readonly failure?: { readonly code: string; readonly message: string } | undefined;
}

/** States from which nothing more comes. */
export const isSettled = ({ state }: Upload): boolean => !['waiting', 'sending', 'storing', 'stored', 'reading'].includes(state);
export const hasFailed = ({ state }: Upload): boolean => state === 'failed' || state === 'notRead';
/** What needs somebody stands above what goes on, and that above what is done, else in the order in which it was chosen. */
export const failuresFirst = (uploads: readonly Upload[]): readonly Upload[] => [
  ...uploads.filter(hasFailed),
  ...uploads.filter((upload) => !isSettled(upload)),
  ...uploads.filter((upload) => isSettled(upload) && !hasFailed(upload)),
];
/** Whether the same file may be taken when it is sent once more: what is too large, empty or of a wrong type stays so. */
export const isWorthRetry = ({ state, problem }: Upload): boolean =>
  state === 'cancelled' || (state === 'failed' && !ABOUT_THE_FILE.has(String(problem?.details['reason'])));
const ABOUT_THE_FILE: ReadonlySet<string> = new Set([
  'too_large',
  'empty',
  'unknown_type',
  'type_not_allowed',
  'type_mismatch',
  'not_einvoice',
]);
/** States that end with the page. */
export const isOnItsWay = ({ state }: Upload): boolean => state === 'waiting' || state === 'sending' || state === 'storing';
export const isCancellable = ({ state }: Upload): boolean => state === 'waiting' || state === 'sending';
