import type { Db } from '@sheaf/db';
import type { PaperlessKind } from '@sheaf/paperless';
import type { Action, Principal } from '@sheaf/vocabulary/permissions';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import { admit } from '../http/admit.ts';
import { parseInput } from '../http/parse-input.ts';
import { type RequestContext, type Route, streamRoute } from '../http/route.ts';
import { anyQuery, numberParams, requireNumber } from './query.ts';

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
