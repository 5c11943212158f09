import type { GuardedResponse } from '@sheaf/outbound';
import type { OpenedFile, RemoteFile } from '../driver.ts';
import { REQUEST_TIMEOUTS_MS } from '../driver-limits.ts';
import { exactBody } from '../exact-body.ts';
import { contradiction, type FileVersion, isContradiction, isSameVersion, isStrongEtag } from '../file-version.ts';
import { statusFailure, toSourceError } from '../outbound-failure.ts';
import { SourceError } from '../source-error.ts';
import type { WebdavClient } from './webdav-client.ts';

export interface OpenOptions {
  readonly url: string;
  readonly signal: AbortSignal;
  /** The version that the server has now. */
  readonly stat: () => Promise<FileVersion>;
}

/** Throws SourceError, or the signal's reason. */
export const openFile = async (client: WebdavClient, file: RemoteFile, { url, signal, stat }: OpenOptions): Promise<OpenedFile> => {
  const { host } = new URL(url);
  const response = await ask(client, url, file, signal);
  if (response.status !== 200) {
    response.body.destroy();
    throw failureOf(response, host);
  }
  const answered = versionOf(response);
  const isListed = isSameVersion(file, answered);
  if (isContradiction(file, answered)) throw contradiction(host, response.body);
  // Where the answer names no length, the listing did, and it is the same file as far as can be told.
  const announced = isCompressed(response) ? undefined : (answered.sizeBytes ?? (isListed === false ? undefined : file.sizeBytes));
  return {
    body: exactBody(response.body, { sizeBytes: announced, host }),
    sizeBytes: announced,
    modifiedAt: answered.modifiedAt ?? (isListed === false ? undefined : file.modifiedAt),
    etag: isListed === false ? answered.etag : (file.etag ?? answered.etag),
    isUnchanged: async () => isListed ?? isSameVersion(file, await stat()) ?? true,
  };
};

/** If-Match lets the server refuse another content at once. Some give downloads other tags than listings, so it is asked without, too. */
const ask = async (client: WebdavClient, url: string, { etag }: RemoteFile, signal: AbortSignal): Promise<GuardedResponse> => {
  const request = { method: 'GET', url, signal, timeoutMs: REQUEST_TIMEOUTS_MS.download } as const;
  try {
    if (!isStrongEtag(etag)) return await client({ ...request, headers: {} });
    const response = await client({ ...request, headers: { 'if-match': etag } });
    if (response.status !== 412) return response;
    response.body.destroy();
    return await client({ ...request, headers: {} });
  } catch (error) {
    throw toSourceError(error);
  }
};

const isCompressed = ({ headers }: GuardedResponse): boolean => (headers['content-encoding'] ?? 'identity') !== 'identity';

const versionOf = (response: GuardedResponse): FileVersion => {
  const { headers } = response;
  const length = isCompressed(response) ? '' : (headers['content-length'] ?? '');
  const modifiedAt = new Date(headers['last-modified'] ?? '');
  return {
    sizeBytes: /^\d{1,15}$/.test(length) ? Number(length) : undefined,
    modifiedAt: Number.isNaN(modifiedAt.getTime()) ? undefined : modifiedAt,
    etag: headers.etag,
  };
};

const failureOf = ({ status, headers }: GuardedResponse, host: string): SourceError =>
  status === 404 || status === 410
    ? new SourceError('not_found', `${host} no longer has the file.`)
    : statusFailure(status, headers['retry-after'], host);
