import type { IncomingMessage, ServerResponse } from 'node:http';

/** How much of a body is read that nobody wants, before the connection is closed. */
export interface LingerLimits {
  readonly bytes: number;
  readonly ms: number;
}

/** Enough for any file that is uploaded by mistake; a sender who goes on beyond it does not read. */
export const LINGER: LingerLimits = { bytes: 1024 * 1024 * 1024, ms: 60_000 };

/** So much is read within a moment, and the connection goes on. */
const SMALL_BYTES = 256 * 1024;

const hasLongBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > SMALL_BYTES;

/** Throws away what still comes of the body, and closes the connection at its end or at a limit. */
const readRest = (request: IncomingMessage, { bytes, ms }: LingerLimits): void => {
  const { socket } = request;
  const close = (): void => {
    if (!request.complete || !socket.writable) socket.destroy();
  };
  const timer = setTimeout(close, ms);
  let left = bytes;
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) socket.destroy();
  });
  request.once('end', close);
  // Node forgets a request once it is answered: whoever still reads its body would wait for ever
  const end = (): unknown => request.destroy();
  socket.once('close', end);
  request.once('close', () => {
    clearTimeout(timer);
    socket.off('close', end);
  });
  request.unpipe();
  request.resume();
};

/**
 * For a request that is answered before its body has come: refused, mostly. Many clients send to the end before they look for an answer; a
 * connection that is closed meanwhile takes the answer from them (RST). So the answer says `Connection: close` and ends what is
 * sent here, and the body is read on, within limits, until the client has seen it. A short body is read, and the connection stays.
 */
export const closeAfterEarlyAnswer = (request: IncomingMessage, response: ServerResponse, limits: LingerLimits): void => {
  const { socket } = request;
  if (hasLongBody(request)) {
    const writeHead = response.writeHead.bind(response) as (...given: unknown[]) => ServerResponse;
    response.writeHead = (...given: unknown[]) => {
      if (!request.complete) response.shouldKeepAlive = false;
      return writeHead(...given);
    };
  }
  // before the listener of Node, which would close the connection in both directions
  response.prependOnceListener('finish', () => {
    if (request.complete) return;
    if (!response.shouldKeepAlive) socket.destroySoon = () => void socket.end();
    readRest(request, limits);
  });
};
