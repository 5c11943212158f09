import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FixedConfig } from '@sheaf/config';
import { AppError, featureDisabled, validationError } from '@sheaf/contract';
import type { Clock, Logger } from '@sheaf/process';
import type { Express, Request, RequestHandler } from 'express';
import { toAppError } from '../http/errors.ts';
import { requireOwnOrigin } from '../http/own-origin.ts';
import { answerRaw } from '../http/server.ts';
import { type Handshake, type HandshakeParts, readHandshake } from './handshake.ts';
import type { SocketIoTransport } from './socket-io-transport.ts';
import type { WebSocketTransport } from './websocket-transport.ts';

const WEBSOCKET_PATH = '/ws';
const SOCKET_IO_PATH = '/socket.io';

export interface Transports {
  readonly websocket: WebSocketTransport;
  readonly socketIo: SocketIoTransport;
}

interface EventParts extends HandshakeParts {
  readonly config: Pick<FixedConfig, 'signIn' | 'cors' | 'server' | 'publicUrl'>;
  readonly log: Logger;
  readonly clock: Clock;
}

const withoutSlash = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : path);

const addressOf = ({ url = '/' }: IncomingMessage): URL => new URL(url, 'http://localhost');

const disabled = (): AppError => featureDisabled('WEBSOCKET_ENABLED');

/** Answers what comes to the transports as ordinary requests: the polling of socket.io, and who takes /ws for a page. `transports` is undefined while they are disabled. */
export const eventRequests = (transports: Transports | undefined, parts: EventParts): RequestHandler => {
  return async (request, response, next) => {
    const path = withoutSlash(request.path);
    if (path !== WEBSOCKET_PATH && path !== SOCKET_IO_PATH) return next();
    if (transports === undefined) throw disabled();
    if (path === WEBSOCKET_PATH) throw validationError('This is a WebSocket endpoint. Use a WebSocket client.');
    const sid = addressOf(request).searchParams.get('sid');
    const isUnderWay = sid !== null && transports.socketIo.isKnown(sid);
    const handshake = isUnderWay ? undefined : await readHandshake(request, parts, 'request');
    response.locals['route'] = SOCKET_IO_PATH;
    transports.socketIo.request(request, response, handshake);
  };
};

/** What express makes of a request, for those that never come to it. */
const asExpressRequest = (request: IncomingMessage, app: Express): Request =>
  Object.setPrototypeOf(request, app.request as object) as Request;

const enter = async (transports: Transports | undefined, { request, socket, head }: Upgrade, parts: EventParts): Promise<void> => {
  if (!parts.config.signIn.enabled) requireOwnOrigin(request, parts.config);
  const { pathname, searchParams } = addressOf(request);
  const path = withoutSlash(pathname);
  if (path !== WEBSOCKET_PATH && path !== SOCKET_IO_PATH) throw new AppError('NOT_FOUND', `No WebSocket endpoint at ${pathname}.`);
  if (transports === undefined) throw disabled();
  const sid = path === SOCKET_IO_PATH ? searchParams.get('sid') : null;
  const isUnderWay = sid !== null && transports.socketIo.isKnown(sid);
  const handshake: Handshake | undefined = isUnderWay ? undefined : await readHandshake(request, parts, 'upgrade');
  if (socket.destroyed) return;
  if (path === SOCKET_IO_PATH) transports.socketIo.upgrade(request, socket, head, handshake);
  else if (handshake !== undefined) transports.websocket.take(request, socket, head, handshake);
};

interface Upgrade {
  readonly request: Request;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Answers requests for a WebSocket. */
export const eventUpgrades =
  (transports: Transports | undefined, parts: EventParts, app: Express) =>
  (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const ignore = (): void => {}; // who goes away in between is gone
    socket.on('error', ignore);
    enter(transports, { request: asExpressRequest(request, app), socket, head }, parts)
      .catch((error: unknown) => {
        const known = toAppError(error);
        if (known.status >= 500) parts.log.error({ err: error, path: addressOf(request).pathname }, 'WebSocket handshake failed');
        answerRaw(socket, known, parts.clock.now());
      })
      .finally(() => socket.off('error', ignore));
  };
