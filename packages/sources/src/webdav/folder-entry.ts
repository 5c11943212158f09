import { statusFailure } from '../outbound-failure.ts';
import { showPath } from '../remote-path.ts';
import { SourceError } from '../source-error.ts';
import type { MultistatusEntry } from './multistatus.ts';

/** Throws SourceError where the entry of what should be a folder says that it is a file, or that it is not to be had. */
export const checkFolder = ({ isCollection, status }: MultistatusEntry, host: string): void => {
  if (status !== undefined && status >= 400) throw statusFailure(status, undefined, host);
  if (isCollection !== false) return;
  throw new SourceError('protocol', `${host} has a file at this URL. Use the URL of a folder.`);
};

/** A server that speaks of `href` when it was asked for something else. */
export const otherAddress = (host: string, href: string | undefined): SourceError => {
  const hint = href === undefined ? '' : ` It returned ${showPath(href).slice(0, 200)}.`;
  return new SourceError('protocol', `${host} returned a different URL for the folder.${hint} Check the URL.`);
};
