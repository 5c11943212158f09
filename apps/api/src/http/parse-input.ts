import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { AppError, codedError, type Issue, invalidInput, rowId, toIssues, withoutOptionalNulls } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { MAX_PER_PAGE } from '@sheaf/vocabulary/limits';
import type { Request, Response } from 'express';
import { z } from 'zod';
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

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const fieldsOf = (schema: z.ZodType | undefined): Readonly<Record<string, unknown>> =>
  schema !== undefined && 'shape' in schema ? (schema.shape as Readonly<Record<string, unknown>>) : {};

const isValid = (schema: unknown, value: unknown): boolean => schema instanceof z.ZodType && schema.safeParse(value).success;

/** The fields that GET of the resource answers and a change does not take, by name. */
export const readOnlyFields = (route: Route): readonly string[] => {
  if (route.kind !== 'json' || route.present === undefined) return [];
  const changeable = fieldsOf(route.body);
  return Object.keys(fieldsOf(route.response)).filter((name) => !Object.hasOwn(changeable, name));
};

/**
 * The body of a change without the fields that are the service's own, whatever they hold: they may have changed since the client read
 * them. A field that the resource already has as it is given, and that no change could set, is left out too. `present` reads the resource.
 */
export const withoutReadOnly = async (body: unknown, route: Route, present: () => Promise<object>): Promise<unknown> => {
  if (!isObject(body) || route.body === undefined) return body;
  const given = withoutOptionalNulls(route.body, body) as Readonly<Record<string, unknown>>;
  const readOnly = readOnlyFields(route);
  const changeable = fieldsOf(route.body);
  const rest = Object.entries(given).filter(([name]) => !readOnly.includes(name));
  const doubtful = rest.filter(([name, value]) => Object.hasOwn(changeable, name) && !isValid(changeable[name], value));
  if (doubtful.length === 0) return Object.fromEntries(rest);
  // as JSON has it, which is what the client was given
  const current = JSON.parse(JSON.stringify(await present())) as Readonly<Record<string, unknown>>;
  const isAsBefore = (name: string): boolean => Object.hasOwn(current, name) && isDeepStrictEqual(current[name], given[name]);
  const left = doubtful.map(([name]) => name).filter(isAsBefore);
  return Object.fromEntries(rest.filter(([name]) => !left.includes(name)));
};

/** What is in the answer where fewer rows were given than were asked for. */
const LIMIT_HEADER = 'X-Per-Page-Limit';

const isTooMany = (perPage: unknown): boolean =>
  (typeof perPage === 'string' || typeof perPage === 'number') && Number(perPage) > MAX_PER_PAGE;

/** Parameters and form fields without the empty ones: they are as if they were not there. */
export const withoutEmpty = (given: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));

/** The parameters of a request as its route reads them. */
export const givenParameters = ({ query }: Pick<Request, 'query'>, response: Response): Record<string, unknown> =>
  withRowLimit(withoutEmpty(query), response);

/** Cuts the rows that are asked for to as many as a page has, which the answer tells. */
export const withRowLimit = <T>(given: T, response: Response): T => {
  if (typeof given !== 'object' || given === null || !isTooMany((given as { readonly per_page?: unknown }).per_page)) return given;
  response.setHeader(LIMIT_HEADER, MAX_PER_PAGE);
  return { ...given, per_page: MAX_PER_PAGE };
};

/**
 * `value` as `schema` reads it; null for an optional field is as if it were absent. Throws VALIDATION_ERROR with an issue for each mistake, and those that `alsoWrong` finds in other fields, so
 * that all are told at once.
 */
export const parseInput = <T>(
  schema: z.ZodType<T>,
  value: unknown,
  what: 'query' | 'body',
  alsoWrong: (value: unknown) => readonly Issue[] = () => [],
): T => {
  const result = schema.safeParse(withoutOptionalNulls(schema, value), { reportInput: true });
  if (result.success) return result.data;
  const ownIssues = toIssues(result.error);
  const issues = [...ownIssues, ...alsoWrong(value).filter(({ path }) => !ownIssues.some((issue) => issue.path === path))];
  throw invalidInput(what, issues);
};

/** The parameters of a path. What cannot name a row is a row that does not exist. */
export const parseParams = <T>(schema: z.ZodType<T>, value: unknown): T => {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new AppError('NOT_FOUND', 'This resource does not exist.', { cause: result.error });
};

export const idParams = z.strictObject({ id: rowId });
