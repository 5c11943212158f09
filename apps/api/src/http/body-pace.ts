import type { IncomingMessage } from 'node:http';

/** How fast the body of an upload has to arrive. */
export interface BodyPace {
  /** The time over which bytes are counted; a pause may be as long. UPLOAD_IDLE_TIMEOUT. */
  readonly windowMs: number;
  /** UPLOAD_MIN_BYTES_PER_SECOND. */
  readonly minBytesPerSecond: number;
}

/**
 * Calls `onSlow`, once, when fewer bytes arrive within a window than the pace asks for. While bytes that have arrived wait to be
 * processed here, the sender is not to blame. Returns a function that ends the watch; so does the end of the body.
 */
export const watchPace = (request: IncomingMessage, { windowMs, minBytesPerSecond }: BodyPace, onSlow: () => void): (() => void) => {
  const neededBytes = Math.max(1, (minBytesPerSecond * windowMs) / 1_000);
  let bytesBefore = request.socket.bytesRead;
  const timer = setInterval(() => {
    const arrived = request.socket.bytesRead - bytesBefore;
    bytesBefore += arrived;
    if (request.complete) return stop();
    if (arrived >= neededBytes || request.readableLength > 0) return;
    stop();
    onSlow();
  }, windowMs);
  const stop = (): void => {
    clearInterval(timer);
    request.off('close', stop);
  };
  request.once('close', stop);
  return stop;
};
