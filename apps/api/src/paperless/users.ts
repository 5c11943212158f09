import { getUserById, listUsers, userNotFound } from '@sheaf/accounts/users';
import { AppError, codedError, featureDisabled, reasonedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import type { User } from '@sheaf/db/schema';
import { codenamesOf, numbersOf, refuseField } from '@sheaf/paperless';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import busboy from 'busboy';
import type { Request, RequestHandler, Response } from 'express';
import express from 'express';
import { z } from 'zod';
import { clientOf } from '../auth/answer-sign-in.ts';
import { parseInput } from '../http/parse-input.ts';
import { emptyRoute, jsonRoute, type Route, streamRoute } from '../http/route.ts';
import { pageOfEntries } from './entries.ts';
import { anyQuery, numberParams, withNumber } from './query.ts';
import { PAPERLESS_PREFIX, type PaperlessServices, pageBody, requestBody } from './requests.ts';

const PATH = `${PAPERLESS_PREFIX}/token`;

const MAX_BODY_BYTES = 64 * 1024;
const MAX_FIELDS = 20;

const tokenRequest = requestBody({
  username: z.string().min(1).max(254),
  password: z.string().min(1).max(1_000),
  code: z.string().max(100).nullish(),
});

const readers: readonly RequestHandler[] = [
  express.json({ limit: MAX_BODY_BYTES }),
  express.urlencoded({ limit: MAX_BODY_BYTES, extended: false, parameterLimit: MAX_FIELDS }),
];

const run = (reader: RequestHandler, request: Request, response: Response): Promise<void> =>
  new Promise((resolve, reject) => void reader(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error))));

const malformedRequest = (): AppError => refuseField('non_field_errors', 'Malformed request.');

const openParser = (request: Request): busboy.Busboy => {
  try {
    return busboy({
      headers: request.headers,
      limits: { fields: MAX_FIELDS, fieldSize: MAX_BODY_BYTES, files: 0, parts: MAX_FIELDS },
    });
  } catch {
    throw malformedRequest(); // it has no boundary
  }
};

/** The fields of a form without files. One that is longer than a form may be is refused. */
const readForm = (request: Request): Promise<Record<string, string>> => {
  const parser = openParser(request);
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) parser.destroy(malformedRequest());
  });
  return new Promise((resolve, reject) => {
    const fields = new Map<string, string>();
    const refuse = (): void => reject(malformedRequest());
    parser.on('field', (name, value) => fields.set(name, value));
    parser.once('close', () => resolve(Object.fromEntries(fields)));
    parser.once('error', () => {
      request.unpipe(parser);
      request.resume();
      refuse();
    });
    request.once('close', () => request.complete || refuse());
    request.pipe(parser);
  });
};

/** Programs send it as JSON, or as a form of either kind. */
const readBody = async (request: Request, response: Response): Promise<unknown> => {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES)
    throw reasonedError('VALIDATION_ERROR', 'too_large', { max_bytes: MAX_BODY_BYTES });
  if (request.is('multipart/form-data') !== false && request.is('multipart/form-data') !== null) return readForm(request);
  for (const reader of readers) await run(reader, request, response);
  return (request.body ?? {}) as unknown;
};

/** In the words by which apps tell what to ask their user for. */
const toRefusal = (error: unknown): unknown => {
  if (!(error instanceof AppError)) return error;
  if (error.details.reason === 'wrong_credentials') return refuseField('non_field_errors', 'Unable to log in with provided credentials.');
  return error.code === 'MFA_CODE_WRONG' ? refuseField('non_field_errors', 'Invalid MFA code') : error;
};

/** The program by its own name, up to its version. */
const nameOf = (userAgent: string | undefined): string => {
  const program =
    userAgent
      ?.split(/[/ ]/, 1)[0]
      ?.replaceAll(/[^\w.-]/g, '')
      .slice(0, 50) ?? '';
  return program === '' ? 'Paperless app' : `Paperless app (${program})`;
};

export const createToken = ({ config, identity }: PaperlessServices): Route =>
  streamRoute({
    method: 'post',
    path: PATH,
    access: 'anyone',
    carriesCredentials: true,
    summary: 'Sign in for a token, which is an API key that does not expire',
    content: { form: tokenRequest, answers: [{ status: 200, description: 'The token', schema: z.strictObject({ token: z.string() }) }] },
    query: anyQuery,
    stream: async ({ context }, { request, response }) => {
      if (!config.apiKeys.enabled) throw featureDisabled('API_KEY_ENABLED');
      if (!config.signIn.enabled) throw reasonedError('FORBIDDEN', 'not_without_sign_in');
      const { username, password, code } = parseInput(tokenRequest, await readBody(request, response), 'body');
      const client = clientOf(context);
      const user = await identity.signIn.prove(username, password, code ?? undefined, client).catch((error: unknown) => {
        throw toRefusal(error);
      });
      if (user === undefined) throw refuseField('non_field_errors', 'MFA code is required');
      const token = await identity.keys.createToken(
        { userId: user.id, username: user.username },
        nameOf(client.userAgent),
        context.address,
      );
      response.status(200).json({ token });
    },
  });

/** Paperless has no such endpoint: who has a token may throw it away, whatever their role. */
export const revokeToken = ({ identity }: PaperlessServices): Route =>
  emptyRoute({
    method: 'delete',
    path: PATH,
    access: 'signed-in',
    summary: 'Revoke the token that the request is made with',
    done: 'The token was revoked',
    errors: { KEY_NOT_FOUND: 'NOT_FOUND' },
    query: anyQuery,
    handle: async ({ principal, context }) => {
      const { keyId } = principal;
      if (keyId === undefined) throw codedError('NOT_FOUND', 'KEY_NOT_FOUND', { key_id: '' });
      await identity.keys.revokeOwn({ ...principal, keyId }, context.address);
    },
  });

/** Users of one answer. */
const MAX_USERS = 10_000;

const userBody = z.strictObject({
  id: z.int(),
  username: z.string(),
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  date_joined: z.iso.datetime(),
  is_staff: z.literal(false),
  is_active: z.boolean(),
  is_superuser: z.literal(false),
  groups: z.array(z.int()),
  user_permissions: z.array(z.string()),
  inherited_permissions: z.array(z.string()),
  is_mfa_enabled: z.boolean(),
});

/** The users that the caller may read, and the caller. */
const readUsers = async (db: Db, principal: Principal): Promise<User[]> => {
  if (scopeOf(principal.permissions, 'users.read') === 'none') return [await getUserById(db, principal.userId)];
  return (await listUsers(db, principal, { page: 1, perPage: MAX_USERS, sort: 'username', order: 'asc' })).rows;
};

const present = async (db: Db, users: readonly User[], principal: Principal): Promise<z.infer<typeof userBody>[]> => {
  const numberOf = await numbersOf(
    db,
    users.map(({ id }) => ({ kind: 'user', id })),
  );
  return users.map((user) => ({
    id: numberOf('user', user.id),
    username: user.username,
    email: user.email,
    first_name: user.displayName ?? '',
    last_name: '',
    date_joined: user.createdAt.toISOString(),
    // apps offer a superuser all that Paperless has, whatever the permissions are, and staff its logs and administration
    is_staff: false,
    is_active: user.disabledAt === null,
    is_superuser: false,
    groups: [],
    user_permissions: user.id === principal.userId ? codenamesOf(principal.permissions) : [],
    inherited_permissions: [],
    is_mfa_enabled: false,
  }));
};

/** The caller. */
export const presentSelf = async (db: Db, principal: Principal): Promise<z.infer<typeof userBody>> => {
  const [self] = await present(db, [await getUserById(db, principal.userId)], principal);
  if (self === undefined) throw userNotFound({ user_id: principal.userId });
  return self;
};

export const users = ({ database: { db } }: PaperlessServices): Route =>
  jsonRoute({
    method: 'get',
    path: `${PAPERLESS_PREFIX}/users`,
    access: 'signed-in',
    summary: 'List users',
    query: anyQuery,
    response: pageBody(userBody),
    handle: async ({ query, principal, context }) => {
      const bodies = await present(db, await readUsers(db, principal), principal);
      const byName = Object.fromEntries(
        Object.entries(query).map(([name, value]) => [name.replace(/^(-?)username/, '$1name'), value] as const),
      );
      const page = pageOfEntries(
        bodies.map((body) => ({ ...body, name: body.username })),
        { path: '/users', query: byName, context },
      );
      return { ...page, results: page.results.map(({ name: _name, ...body }) => body) };
    },
  });

export const user = ({ database: { db } }: PaperlessServices): Route =>
  jsonRoute({
    method: 'get',
    path: `${PAPERLESS_PREFIX}/users/{id}`,
    access: 'signed-in',
    summary: 'Get a user',
    params: numberParams,
    query: anyQuery,
    response: userBody,
    handle: async ({ params, principal }) => withNumber(await present(db, await readUsers(db, principal), principal), Number(params.id)),
  });
