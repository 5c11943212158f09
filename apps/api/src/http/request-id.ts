import { uuidv7 } from '@sheaf/runtime';
import type { RequestHandler, Response } from 'express';

const HEADER = 'X-Request-Id';
const ACCEPTABLE = /^[\w.:-]{1,128}$/;

/** Takes the caller's request id if it is a plain one, or makes one, and answers with it. */
export const requestId = (): RequestHandler => (request, response, next) => {
  const given = request.get(HEADER);
  const id = given !== undefined && ACCEPTABLE.test(given) ? given : uuidv7();
  response.locals['requestId'] = id;
  response.setHeader(HEADER, id);
  next();
};

export const requestIdOf = (response: Response): string => String(response.locals['requestId'] ?? '');
