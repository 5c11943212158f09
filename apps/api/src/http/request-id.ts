import { uuidv7, withLogFields } from '@sheaf/process';
import type { RequestHandler, Response } from 'express';

export const REQUEST_ID_HEADER = 'X-Request-Id';
const ACCEPTABLE = /^[\w.:-]{1,128}$/;

/** Takes the caller's request id if it is a plain one, or makes one, and answers with it. Every line that the request causes in the log has it. */
export const requestId = (): RequestHandler => (request, response, next) => {
  const given = request.get(REQUEST_ID_HEADER);
  const id = given !== undefined && ACCEPTABLE.test(given) ? given : uuidv7();
  response.locals['requestId'] = id;
  response.setHeader(REQUEST_ID_HEADER, id);
  withLogFields({ request_id: id }, next);
};

export const requestIdOf = (response: Response): string => String(response.locals['requestId'] ?? '');
