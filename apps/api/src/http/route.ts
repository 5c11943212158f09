import type { IncomingHttpHeaders } from 'node:http';
import type { Issue } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import type { ErrorCode, ErrorKind } from '@sheaf/vocabulary/error-codes';
import type { Action, Principal } from '@sheaf/vocabulary/permissions';
import type { Request, Response } from 'express';
import type { z } from 'zod';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/**
 * Who may call: an action from the permission table, anyone who signed in, or anyone at all. There is no default. `session` is
 * for people: who signed in, and no API key. `anyone` never asks who it is, so that it answers without a database;
 * `anyone-known` does, and lets strangers in as well.
 */
export type Access = Action | 'signed-in' | 'session' | 'anyone' | 'anyone-known';

/** What a handler may know of the request beside its parsed input. */
interface RequestConnection {
  /** Whether it came over HTTPS, to us or to a proxy that is trusted. */
  readonly isSecure: boolean;
  /** Whether a program of this machine sent it, and no proxy for somebody else. */
  readonly isLocal: boolean;
  /** The cookie by which a browser is known again that has signed in before. */
  readonly device: string | undefined;
}

export interface RequestContext {
  readonly id: string;
  readonly address: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly connection: RequestConnection;
  /** Adds a Set-Cookie line to the answer. */
  readonly setCookie: (line: string) => void;
  /** Answers what the caller asks. It may be a replica where the route says so, and else is the primary. */
  readonly db: Db;
  /** Aborted when the client is gone, or the time for the answer is over. */
  readonly signal: AbortSignal;
  /**
   * Throws PRECONDITION_FAILED where If-Match names another state of the resource than `tx` sees. A change calls it once the rows are locked,
   * so that nobody changes them between the comparison and the change.
   */
  readonly requireMatch: (tx: Db) => Promise<void>;
}

export interface Input<P, Q, B, Who extends Access> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly principal: Who extends 'anyone' ? undefined : Who extends 'anyone-known' ? Principal | undefined : Principal;
  readonly context: RequestContext;
}

/** What every route tells the interface's text (/api/openapi.json) beside its schemas. */
interface RouteText {
  readonly summary: string;
  /** What a caller has to know beyond the summary: syntax, limits, choices. Markdown. */
  readonly description?: string;
  /** Error codes of its own, such as DOCUMENT_IS_PROCESSING, and the kind each one is of. What its schemas and its access can refuse is known. */
  readonly errors?: Readonly<Partial<Record<ErrorCode | ErrorKind, ErrorKind>>>;
}

/** One answer of a route that writes it by itself. Without `contentTypes` and `schema` it has no body. */
export interface DeclaredAnswer {
  readonly status: number;
  readonly description: string;
  /** Media types of a body that is not JSON. */
  readonly contentTypes?: readonly string[];
  /** Of a JSON body. */
  readonly schema?: z.ZodType;
  /** Headers a caller may rely on, each with its meaning. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a handler returns to answer with one of `otherAnswers` of its route. */
export class OtherAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** What a route that streams takes and answers, for the interface's text. A test refuses a route without it. */
export interface StreamContent {
  /** The fields of a multipart form; files are `z.file()`. */
  readonly form?: z.ZodType;
  /** Headers of the request that it heeds, each with its meaning. */
  readonly requestHeaders?: Readonly<Record<string, string>>;
  readonly answers: readonly DeclaredAnswer[];
}

/** What a request to a route counts as where requests are limited (see `RateLimit`); `request` where nothing is said. */
export type RequestKind = 'request' | 'upload' | 'picture';

/** How the parts that every request passes treat a route. */
interface RouteTraits {
  /** Beside an action: also for the user whom `user_id` in the path names, when they are signed in. A key needs the action all the same. */
  readonly allowSelf?: true;
  /** Also for users who have to set up a second factor first. */
  readonly allowedBeforeMfa?: true;
  readonly countsAs?: RequestKind;
  /** The answer may hold tokens or set cookies: it is never compressed, or its length would tell something of them (BREACH). */
  readonly carriesCredentials?: true;
  /** A POST that changes nothing and answers a question, as a GET does. */
  readonly isQuery?: true;
  /** A replica of the database may answer, through `context.db`: its handler changes nothing, and may run again on the primary. */
  readonly mayReadReplica?: true;
  /**
   * What the caller needs beside `access`. Throws FORBIDDEN. Asked before the input is looked at, so that whoever may not do it learns nothing
   * of what is wrong with it.
   */
  readonly requires?: (principal: Principal) => void;
  /** For monitoring, which asks every few seconds: not counted against the rate limits, and not traced. */
  readonly isProbe?: true;
}

export interface RouteHead<P, Q, Who extends Access> extends RouteText, RouteTraits {
  readonly method: Method;
  /** With parameters in braces, as OpenAPI writes them: /api/documents/{id}. Every version has it under this name. */
  readonly path: string;
  readonly access: Who;
  readonly params?: z.ZodType<P>;
  /** A strict object: unknown names are refused. */
  readonly query?: z.ZodType<Q>;
}

/** A route that takes and answers JSON. What it answers passes `response`, so nothing slips out by accident. */
export interface JsonRoute<P, Q, B, R, Who extends Access> extends RouteHead<P, Q, Who> {
  readonly body?: z.ZodType<B>;
  /** Of a body that its schema refuses: what the handler would refuse besides, so that all is told at once. */
  readonly alsoWrong?: (given: unknown) => readonly Issue[];
  /** 200 where nothing is said. */
  readonly status?: 200 | 201 | 202;
  readonly response: z.ZodType<R>;
  /** Answers with another status, which the handler returns as an `OtherAnswer`. Their bodies pass their own schema. */
  readonly otherAnswers?: readonly (DeclaredAnswer & { readonly schema: z.ZodType })[];
  /** The body may also come as the field `file` of a multipart form. */
  readonly takesBodyFile?: true;
  /** Its work is not ended by REQUEST_TIMEOUT, nor by the limit of a connection on which nothing moves; only the client ends it. */
  readonly mayTakeLong?: true;
  /** What is answered to every request, whoever sends it: it may be given before anything else is looked at. */
  readonly constantAnswer?: R;
  /**
   * Of a change: the resource as GET answers it now. Its fields that `body` does not know are read-only, so they are ignored in requests;
   * GET of the same path gives its ETag, which If-Match is compared with.
   */
  present?(input: Input<P, Q, undefined, Who>, db: Db): Promise<NoInfer<R>>;
  handle(input: Input<P, Q, B, Who>): Promise<R | OtherAnswer>;
}

/** The exception: a route that streams, so it reads the request or writes the response by itself. */
export interface StreamRoute<P, Q, B, Who extends Access> extends RouteHead<P, Q, Who> {
  readonly content?: StreamContent;
  /** Of a JSON body, which is read before. Without it, and where a form comes instead, the route reads the request by itself. */
  readonly body?: z.ZodType<B>;
  stream(input: Input<P, Q, B, Who>, http: { request: Request; response: Response }): Promise<void>;
}

/** A route that answers nothing but that it was done. */
interface EmptyRoute<P, Q, B, Who extends Access> extends Omit<StreamRoute<P, Q, B, Who>, 'content' | 'stream'> {
  /** What was done, for the interface's text. */
  readonly done: string;
  readonly handle: (input: Input<P, Q, B, Who>) => Promise<void>;
}

/** Any route, its input types forgotten: what the list of routes holds and what is mounted. */
export type Route = RouteText &
  RouteTraits & {
    readonly method: Method;
    readonly path: string;
    readonly access: Access;
    readonly params?: z.ZodType;
    readonly query?: z.ZodType;
    /** What version 2 has in its place; the same where there is none. */
    readonly v2?: Route;
    /** What version 2 has in its place is to be used instead: this one ends at SUNSET once there is a version 2. */
    readonly isSuperseded?: true;
    /** Changes the resource that GET of the same path answers: `withChanges` finds it. */
    readonly change?: Route;
    /** Of a route whose feature is off: what it is while the feature is on, for the interface's text. */
    readonly whenOn?: Route;
    /** Version 1 where nothing is said. */
    readonly version?: 'v2';
    /** It ends at SUNSET. */
    readonly isDeprecated?: true;
  } & (
    | {
        readonly kind: 'json';
        readonly body?: z.ZodType;
        readonly alsoWrong?: (given: unknown) => readonly Issue[];
        readonly status: number;
        readonly response: z.ZodType;
        readonly otherAnswers?: readonly (DeclaredAnswer & { readonly schema: z.ZodType })[];
        readonly takesBodyFile?: true;
        readonly mayTakeLong?: true;
        readonly constantAnswer?: unknown;
        present?(input: AnyInput, db: Db): Promise<unknown>;
        handle(input: AnyInput): Promise<unknown>;
      }
    | {
        readonly kind: 'stream';
        readonly content?: StreamContent;
        readonly body?: z.ZodType;
        stream(input: AnyInput, http: { request: Request; response: Response }): Promise<void>;
      }
  );

type AnyInput = Input<never, never, never, Access> & { readonly principal: never };

// The casts forget the input types on purpose: mounting gives each handler what its own schemas parsed, and nothing else.
export const jsonRoute = <P = undefined, Q = undefined, B = undefined, R = unknown, const Who extends Access = Access>(
  route: JsonRoute<P, Q, B, R, Who>,
): Route => ({ kind: 'json', status: 200, ...route }) as unknown as Route;

/** A POST that makes something, which it answers: 201. */
export const createRoute = <P = undefined, Q = undefined, B = undefined, R = unknown, const Who extends Access = Access>(
  route: Omit<JsonRoute<P, Q, B, R, Who>, 'method' | 'status'>,
): Route => jsonRoute<P, Q, B, R, Who>({ ...route, method: 'post', status: 201 });

export type ChangeRoutes = readonly [put: Route, patch: Route];

/** PUT and PATCH of one resource, which do the same: only the given fields change. */
export const changeRoutes = <P = undefined, Q = undefined, B = undefined, R = unknown, const Who extends Access = Access>(
  route: Omit<JsonRoute<P, Q, B, R, Who>, 'method'>,
): ChangeRoutes => [jsonRoute<P, Q, B, R, Who>({ ...route, method: 'put' }), jsonRoute<P, Q, B, R, Who>({ ...route, method: 'patch' })];

export const streamRoute = <P = undefined, Q = undefined, B = undefined, const Who extends Access = Access>(
  route: StreamRoute<P, Q, B, Who>,
): Route => ({ kind: 'stream', ...route }) as unknown as Route;

/** Answers 204, without a body. */
export const emptyRoute = <P = undefined, Q = undefined, B = undefined, const Who extends Access = Access>({
  done,
  handle,
  ...head
}: EmptyRoute<P, Q, B, Who>): Route =>
  streamRoute<P, Q, B, Who>({
    ...head,
    content: { answers: [{ status: 204, description: done }] },
    stream: async (input, { response }) => {
      await handle(input);
      response.status(204).end();
    },
  });
