import type { IncomingHttpHeaders } from 'node:http';
import { AppError, featureDisabled, type Issue } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { conflictOf, type PaperlessKind, paperlessFieldOf } from '@sheaf/paperless';
import type { Action, Principal } from '@sheaf/vocabulary/permissions';
import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import type { AuthServices } from '../auth/answer-sign-in.ts';
import type { DocumentFileServices, DocumentServices } from '../documents/document-services.ts';
import { admit } from '../http/authenticate.ts';
import { parseInput } from '../http/parse-input.ts';
import { type RequestContext, type Route, streamRoute } from '../http/route.ts';
import type { ShareServices } from '../shares/change-shares.ts';
import type { TrashServices } from '../trash/routes.ts';
import type { UserServices } from '../users/user-imports.ts';
import { type AnyQuery, anyQuery, lastOf, numberParams, requireNumber } from './query.ts';

/** A request to one of our own routes, in our own terms. */
interface OwnRequest {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly principal: Principal;
  readonly context: RequestContext;
}

const inputOf = (route: Route, { params, query, body, principal, context }: OwnRequest) => {
  admit(route, principal, params);
  return {
    params: route.params?.parse(params),
    query: route.query?.parse(query ?? {}),
    body: route.body && parseInput(route.body, body, 'body'),
    principal,
    context,
  } as never;
};

/**
 * The answer of one of our own routes, so that everything that is asked or done here has the same access (permission, session or key, second
 * factor), limits, events and entries in the audit log as there. Throws what the route does, FORBIDDEN where the caller may not use it.
 */
export const askRoute = async <T>(route: Route, answer: z.ZodType<T>, request: OwnRequest): Promise<T> => {
  if (route.kind !== 'json') throw new Error(`${route.path} does not answer JSON`);
  return answer.parse(await route.handle(inputOf(route, request)));
};

/** Lets one of our own routes write the answer. */
export const passTo = async (route: Route, request: OwnRequest, http: { request: Request; response: Response }): Promise<void> => {
  if (route.kind !== 'stream') throw new Error(`${route.path} does not write its answer`);
  await route.stream(inputOf(route, request), http);
};

interface ObjectRoute {
  readonly path: string;
  readonly access: Action;
  readonly summary: string;
  /** What was done, for the interface's text. */
  readonly done?: string;
}

/** DELETE of the object of a kind that the path names by its number: our own route does it. */
export const deleteRoute = (db: Db, kind: PaperlessKind, own: Route, { done = 'Deleted', ...head }: ObjectRoute): Route =>
  streamRoute({
    ...head,
    method: 'delete',
    content: { answers: [{ status: 204, description: done }] },
    params: numberParams,
    query: anyQuery,
    stream: async ({ params, principal, context }, http) => {
      const id = await requireNumber(db, kind, params);
      await passTo(own, { params: { id }, principal, context }, http);
    },
  });

type Shape = Readonly<Record<string, z.ZodType>>;

const namesIn = (fields: readonly string[] | z.ZodObject): readonly string[] =>
  fields instanceof z.ZodObject ? Object.keys(fields.shape) : fields;

/**
 * The body of a request. `takes` are its fields, each of which is done or refused by its value. What `ignored` names has no effect: fields of the answer
 * of the same object, as programs send back what they got, and fields that docs/guides/paperless-apps.md lists. All others are refused by name, which
 * Django does not: what is accepted was done.
 */
export const requestBody = <T extends Shape>(takes: T, ...ignored: readonly (readonly string[] | z.ZodObject)[]) => {
  const withoutEffect = Object.fromEntries(ignored.flatMap(namesIn).map((name) => [name, z.unknown().optional()]));
  const shape: T = { ...withoutEffect, ...takes };
  return z.strictObject(shape);
};

/** What the routes of the Paperless-compatible API use. */
export type PaperlessServices = DocumentServices &
  DocumentFileServices &
  ShareServices &
  Pick<AuthServices, 'config' | 'identity'> &
  Pick<TrashServices, 'retentionMs'> &
  Pick<UserServices, 'accounts' | 'audit' | 'watchDirectories'>;

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

const DEFAULT_PAGE_SIZE = 25;
const MAX_PAGE = 1_000_000;

export interface PageRequest {
  readonly page: number;
  readonly perPage: number;
}

const invalidPage = (): AppError => new AppError('NOT_FOUND', 'Invalid page.');

/** As Paperless reads them: a size that makes no sense is the usual one, a page that makes no sense is not there. Throws NOT_FOUND. */
export const readPage = (query: AnyQuery, maxPageSize: number): PageRequest => {
  const size = Number(lastOf(query, 'page_size') ?? DEFAULT_PAGE_SIZE);
  const page = Number(lastOf(query, 'page') ?? 1);
  if (!Number.isInteger(page) || page < 1 || page > MAX_PAGE) throw invalidPage();
  return { page, perPage: Number.isInteger(size) && size > 0 ? Math.min(size, maxPageSize) : DEFAULT_PAGE_SIZE };
};

export const pageBody = <T extends z.ZodType>(item: T) =>
  z.strictObject({
    count: z.int(),
    next: z.string().nullable(),
    previous: z.string().nullable(),
    all: z.array(z.int()),
    results: z.array(item),
  });

interface Listed<T> {
  readonly count: number;
  readonly all: readonly number[];
  readonly results: readonly T[];
}

/** Where a list is asked for: the address of its pages. */
export interface Asked {
  readonly path: string;
  readonly query: AnyQuery;
  readonly context: Pick<RequestContext, 'headers' | 'connection'>;
}

const addressOf = ({ path, query, context: { headers, connection } }: Asked, page: number): string => {
  const parameters = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (name === 'page' ? [] : [value].flat().map((each): [string, string] => [name, each]))),
  );
  if (page > 1) parameters.set('page', String(page));
  const search = parameters.size === 0 ? '' : `?${parameters.toString()}`;
  return `${connection.isSecure ? 'https' : 'http'}://${headers.host ?? 'localhost'}${PAPERLESS_PREFIX}${path}/${search}`;
};

/** One page with the addresses of those beside it. Throws NOT_FOUND for a page behind the last one. */
export const toPage = <T>({ count, all, results }: Listed<T>, { page, perPage }: PageRequest, asked: Asked) => {
  const pages = Math.max(1, Math.ceil(count / perPage));
  if (page > pages) throw invalidPage();
  return {
    count,
    next: page < pages ? addressOf(asked, page + 1) : null,
    previous: page > 1 ? addressOf(asked, page - 1) : null,
    all: [...all],
    results: [...results],
  };
};
