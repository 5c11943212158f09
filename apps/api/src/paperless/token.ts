import { AppError, codedError, featureDisabled, reasonedError } from '@sheaf/contract';
import { refuseField } from '@sheaf/paperless';
import busboy from 'busboy';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { z } from 'zod';
import { clientOf } from '../auth/client.ts';
import { parseInput } from '../http/parse-input.ts';
import { emptyRoute, type Route, streamRoute } from '../http/route.ts';
import type { PaperlessServices } from './paperless-services.ts';
import { anyQuery } from './query.ts';
import { requestBody } from './request-body.ts';
import { PAPERLESS_PREFIX } from './requests.ts';

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
