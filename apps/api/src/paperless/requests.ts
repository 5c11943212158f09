import type { IncomingHttpHeaders } from 'node:http';
import { type AppError, featureDisabled, type Issue } from '@sheaf/contract';
import { conflictOf, paperlessFieldOf } from '@sheaf/paperless';
import type { RequestHandler } from 'express';

export const PAPERLESS_PREFIX = '/paperless/api';

/** The newest version of the API, and that of Paperless-ngx whose API this is like: programs decide by them what they ask for. */
const API_VERSION = 10;
export const PAPERLESS_VERSION = '2.20.15';

/** What was there before is answered as the oldest version that is supported, which differs in details that programs overlook. */
const OLDEST_VERSION = 9;

export type ApiVersion = 9 | 10;

const VERSION = /;\s{0,5}version=(\d{1,4})(?:;|,|$|\s)/;

const wantedVersion = (accept: string | undefined): number => Number(VERSION.exec(accept ?? '')?.[1] ?? OLDEST_VERSION);

/** The version of the API that a request asks for; the oldest where it names none. */
export const versionOf = ({ accept }: IncomingHttpHeaders): ApiVersion =>
  wantedVersion(accept) < API_VERSION ? OLDEST_VERSION : API_VERSION;

const TOKEN = /^token {1,5}(\S{1,200})$/i;

/**
 * What distinguishes a request to the Paperless-compatible API from others: its answers carry the version, its errors have the form of
 * Paperless, and it is made by a token, which is an API key here. Cookies count for nothing, so that no page can make a browser send one.
 */
export const paperlessRequests =
  (keyHeader: string, isOn: boolean): RequestHandler =>
  (request, response, next) => {
    response.locals['toErrorBody'] = toPaperlessError;
    if (!isOn) throw featureDisabled('FEATURE_PAPERLESS_API');
    response.setHeader('X-Api-Version', String(API_VERSION));
    response.setHeader('X-Version', PAPERLESS_VERSION);
    const { authorization = '' } = request.headers;
    const token = TOKEN.exec(authorization)?.[1];
    if (token !== undefined) {
      request.headers[keyHeader] = token;
      delete request.headers.authorization;
    }
    delete request.headers.cookie;
    if (wantedVersion(request.headers.accept) > API_VERSION) {
      response.status(406).json({ detail: 'Invalid version in "Accept" header.' });
      return;
    }
    next();
  };

/** An error as Django REST framework answers it. */
interface PaperlessError {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

const UNKNOWN = 'is not supported';

/** Fields that are not known are named as those that are wrong. */
const messagesOf = ({ path, code, message, details: { keys } }: Issue): { readonly field: string; readonly message: string }[] =>
  code === 'unknown_keys' && path === '' && Array.isArray(keys)
    ? keys.map((key) => ({ field: String(key), message: UNKNOWN }))
    : [{ field: paperlessFieldOf(path), message }];

const byField = (issues: readonly Issue[]): Record<string, string[]> =>
  Object.fromEntries(
    [...Map.groupBy(issues.flatMap(messagesOf), ({ field }) => field)].map(([field, found]) => [
      field,
      found.map(({ message }) => message),
    ]),
  );

/** The one place where our errors get the form of Paperless, which has no status for a conflict. */
export const toPaperlessError = (error: AppError): PaperlessError => {
  const { kind, details, message } = error;
  const status = kind === 'DUPLICATE_RESOURCE' ? 400 : error.status;
  const { issues = [] } = details;
  if (issues.length > 0) return { status, body: byField(issues) };
  const field = kind === 'DUPLICATE_RESOURCE' ? conflictOf(error) : undefined;
  return { status, body: field === undefined ? { detail: message } : { [field]: [message] } };
};
