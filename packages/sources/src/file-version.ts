import type { Readable } from 'node:stream';
import type { RemoteFile } from './driver.ts';
import { SourceError } from './source-error.ts';

/** What tells one content of a remote file from another. */
export type FileVersion = Pick<RemoteFile, 'sizeBytes' | 'modifiedAt' | 'etag'>;

const opaque = (etag: string): string => etag.replace(/^W\//i, '').trim();

/** Whether two tags are one, weak or not: Apache calls the tag of a file weak in the second after the file was written. */
export const isSameTag = (a: string, b: string): boolean => opaque(a) === opaque(b);

/** A strong tag in its quotes: only such a one may stand in If-Match. */
export const isStrongEtag = (etag: string | undefined): etag is string => etag !== undefined && /^"[\u0021\u0023-\u007e]+"$/.test(etag);

/** HTTP dates are whole seconds; listings may be finer. */
const inSeconds = (date: Date): number => Math.floor(date.getTime() / 1_000);

/** Whether two answers speak of one content; undefined when they have nothing in common that would tell. */
export const isSameVersion = (a: FileVersion, b: FileVersion): boolean | undefined => {
  if (a.etag !== undefined && b.etag !== undefined && isSameTag(a.etag, b.etag)) return true;
  const sizes = a.sizeBytes === undefined || b.sizeBytes === undefined ? undefined : a.sizeBytes === b.sizeBytes;
  const dates = a.modifiedAt === undefined || b.modifiedAt === undefined ? undefined : inSeconds(a.modifiedAt) === inSeconds(b.modifiedAt);
  if (sizes === false || dates === false) return false;
  // Some servers give a file another tag in listings than in downloads: size and date decide then.
  if (dates === true) return true;
  return a.etag !== undefined && b.etag !== undefined ? false : undefined;
};

/** Whether one tag stands for two lengths. */
export const isContradiction = (listed: FileVersion, answered: FileVersion): boolean =>
  listed.etag !== undefined &&
  listed.etag === answered.etag &&
  listed.sizeBytes !== undefined &&
  answered.sizeBytes !== undefined &&
  listed.sizeBytes !== answered.sizeBytes;

/** What to throw then. The body that came with it is not wanted any more. */
export const contradiction = (host: string, body: Readable): SourceError => {
  body.destroy();
  return new SourceError('protocol', `${host} returned a different file size than in its listing for the same ETag.`);
};
