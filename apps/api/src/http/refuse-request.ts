import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { type AppError, errorCode, toErrorEnvelope, validationError } from '@sheaf/contract';
import { nodeHttp } from '@sheaf/process/node-http';
import { NOT_STORED } from './security-headers.ts';

/** What Node takes of a request's first line and headers. */
const HEAD_LIMIT_BYTES = 16 * 1024;

const toAppError = (code: string | undefined): AppError => {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return validationError('The URL and headers of the request are too long.', { limit_bytes: HEAD_LIMIT_BYTES });
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return validationError('The request was not received in time.');
    default:
      return validationError('The request is malformed.');
  }
};

/** Answers with the envelope of an error where there is no response yet, and closes the connection. */
export const answerRaw = (socket: Duplex, error: AppError, now: Date): void => {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(toErrorEnvelope(error, randomUUID(), now));
  const head = [
    `HTTP/1.1 ${error.status} ${nodeHttp.STATUS_CODES[error.status] ?? ''}`,
    'Content-Type: application/json',
    NOT_STORED.join(': '),
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
};

/**
 * Answers what is no request that express could see: an address of a megabyte, or bytes that are not HTTP. Choice: 400 for all
 * of them, as for anything else that cannot be understood, also where Node would say 408 or 431.
 */
export const refuseRequest = (error: Error, socket: Duplex): void => {
  if (errorCode(error) === 'ECONNRESET') socket.destroy();
  else answerRaw(socket, toAppError(errorCode(error)), new Date());
};
