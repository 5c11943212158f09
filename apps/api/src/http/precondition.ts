import { createHash } from 'node:crypto';
import { codedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import type { Request, Response } from 'express';
import { type Access, type Input, OtherAnswer, type RequestContext, type Route } from './route.ts';

type JsonRoute = Extract<Route, { kind: 'json' }>;
/** What a handler is given beside the body. */
export type BodilessInput = Omit<Input<unknown, unknown, undefined, Access>, 'body'>;

interface Http {
  readonly request: Request;
  readonly response: Response;
}

const isChange = (route: Route): route is JsonRoute => route.kind === 'json' && route.present !== undefined;

/** Tells each route the one that changes the resource which GET of its path answers. Such a GET answers an ETag, and changes heed If-Match. */
export const withChanges = (routes: readonly Route[]): readonly Route[] => {
  const changes = new Map(routes.filter(isChange).map((route) => [route.path, route]));
  return routes.map((route) => {
    const change = changes.get(route.path);
    return change === undefined || route.method === 'post' ? route : { ...route, change };
  });
};

/** The resource that a change is about, as GET answers it. Undefined where the route changes no such resource. */
export const presentOf = (route: Route | undefined, input: BodilessInput): ((db: Db) => Promise<object>) | undefined =>
  route !== undefined && isChange(route)
    ? async (db) => route.response.parse(await route.present?.({ ...input, body: undefined } as never, db)) as object
    : undefined;

/** Another tag for each other text. */
const etagOf = (text: string): string => `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;

/** Choice: a weak tag counts as the strong one, because proxies that compress answers make tags weak. */
const namesTag = (header: string, etag: string): boolean =>
  header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);

/**
 * The input of a route with a `requireMatch` that compares If-Match of the request, where it has one. A deletion is compared at once; it
 * deletes whatever became of the resource in the milliseconds after that.
 */
export const withPrecondition = async <T extends BodilessInput>(route: Route, input: T, { request, response }: Http): Promise<T> => {
  const { 'if-match': header } = request.headers;
  const present = route.method === 'get' ? undefined : presentOf(route.change, input);
  if (present === undefined || header === undefined) return input;
  const requireMatch = async (db: Db): Promise<void> => {
    const etag = etagOf(JSON.stringify(await present(db)));
    if (namesTag(header, etag)) return;
    response.setHeader('ETag', etag);
    throw codedError('PRECONDITION_FAILED', 'PRECONDITION_FAILED', { etag });
  };
  if (route.method === 'delete') await requireMatch(input.context.db);
  return { ...input, context: Object.create(input.context, { requireMatch: { value: requireMatch } }) as RequestContext };
};

/** Sends the answer of a route, with the ETag of a resource that can be changed. Parameters may show another part of it, so then there is none. */
export const sendAnswer = (route: JsonRoute, answer: unknown, { request, response }: Http): void => {
  if (answer instanceof OtherAnswer) {
    const declared = route.otherAnswers?.find(({ status }) => status === answer.status);
    if (declared === undefined) throw new Error(`${route.method} ${route.path} does not declare the status ${answer.status}`);
    response.status(answer.status).set(answer.headers).json(declared.schema.parse(answer.body));
    return;
  }
  const body = route.response.parse(answer);
  response.status(route.status);
  if (route.change === undefined || (route.method === 'get' && Object.keys(request.query).length > 0)) {
    response.json(body);
    return;
  }
  const text = JSON.stringify(body);
  response.setHeader('ETag', etagOf(text));
  response.type('json').send(text);
};
