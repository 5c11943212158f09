import type { IncomingHttpHeaders } from 'node:http';
import { featureDisabled } from '@sheaf/contract';
import type { RequestHandler } from 'express';
import { toPaperlessError } from './errors.ts';

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
