import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError, featureDisabled, validationError } from '@sheaf/contract';
import type { Express, Request, RequestHandler } from 'express';
import type { ApiDeps } from '../deps.ts';
import { toAppError } from '../http/errors.ts';
import { answerRaw } from '../http/refuse-request.ts';
import { requireOwnOrigin } from '../http/require-own-origin.ts';
import { type Handshake, readHandshake } from './handshake.ts';
import type { SocketIoDoor } from './socket-io-door.ts';
import type { WebSocketDoor } from './websocket-door.ts';

const WEBSOCKET_PATH = '/ws';
const SOCKET_IO_PATH = '/socket.io';

export interface Doors {
  readonly websocket: WebSocketDoor;
  readonly socketIo: SocketIoDoor;
}

const withoutSlash = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : path);

const addressOf = ({ url = '/' }: IncomingMessage): URL => new URL(url, 'http://localhost');

const disabled = (): AppError => featureDisabled('WEBSOCKET_ENABLED');

/** Answers what comes to the doors as requests: the polling of socket.io, and who takes /ws for a page. `doors` is undefined while they are shut. */
export const eventRequests = (doors: Doors | undefined, deps: ApiDeps): RequestHandler => {
  return async (request, response, next) => {
    const path = withoutSlash(request.path);
    if (path !== WEBSOCKET_PATH && path !== SOCKET_IO_PATH) return next();
    if (doors === undefined) throw disabled();
    if (path === WEBSOCKET_PATH) throw validationError('This is a WebSocket endpoint. Use a WebSocket client.');
    const sid = addressOf(request).searchParams.get('sid');
    const isUnderWay = sid !== null && doors.socketIo.isKnown(sid);
    const handshake = isUnderWay ? undefined : await readHandshake(request, deps, 'request');
    response.locals['route'] = SOCKET_IO_PATH;
    doors.socketIo.request(request, response, handshake);
  };
};

/** What express makes of a request, for those that never come to it. */
const asExpressRequest = (request: IncomingMessage, app: Express): Request =>
  Object.setPrototypeOf(request, app.request as object) as Request;

const enter = async (doors: Doors | undefined, { request, socket, head }: Upgrade, deps: ApiDeps): Promise<void> => {
  if (!deps.config.signIn.enabled) requireOwnOrigin(request, deps.config);
  const { pathname, searchParams } = addressOf(request);
  const path = withoutSlash(pathname);
  if (path !== WEBSOCKET_PATH && path !== SOCKET_IO_PATH) throw new AppError('NOT_FOUND', `No WebSocket endpoint at ${pathname}.`);
  if (doors === undefined) throw disabled();
  const sid = path === SOCKET_IO_PATH ? searchParams.get('sid') : null;
  const isUnderWay = sid !== null && doors.socketIo.isKnown(sid);
  const handshake: Handshake | undefined = isUnderWay ? undefined : await readHandshake(request, deps, 'upgrade');
  if (socket.destroyed) return;
  if (path === SOCKET_IO_PATH) doors.socketIo.upgrade(request, socket, head, handshake);
  else if (handshake !== undefined) doors.websocket.take(request, socket, head, handshake);
};

interface Upgrade {
  readonly request: Request;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Answers requests for a WebSocket. */
export const eventUpgrades =
  (doors: Doors | undefined, deps: ApiDeps, app: Express) =>
  (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const ignore = (): void => {}; // who goes away in between is gone
    socket.on('error', ignore);
    enter(doors, { request: asExpressRequest(request, app), socket, head }, deps)
      .catch((error: unknown) => {
        const known = toAppError(error);
        if (known.status >= 500) deps.log.error({ err: error, path: addressOf(request).pathname }, 'WebSocket handshake failed');
        answerRaw(socket, known, deps.clock.now());
      })
      .finally(() => socket.off('error', ignore));
  };
