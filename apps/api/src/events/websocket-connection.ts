import type { Duplex } from 'node:stream';
import type { ServerReply } from '@sheaf/contract/events';
import type { CloseCode } from '@sheaf/vocabulary/events';
import { WebSocket } from 'ws';
import type { EventConnection } from './event-connection.ts';
import type { OutgoingEvent } from './outgoing-event.ts';

const AS_TEXT = { binary: false };

/** What a close frame can hold. */
const MAX_REASON_BYTES = 123;

const shorten = (reason: string): string => {
  let short = reason;
  while (Buffer.byteLength(short) > MAX_REASON_BYTES) short = short.slice(0, -1);
  return short;
};

/** A client of /ws. */
export class WebSocketConnection implements EventConnection {
  readonly protocol = 'websocket';
  readonly #socket: WebSocket;
  readonly #wire: Duplex;

  /** `wire` is what `socket` writes to. */
  constructor(socket: WebSocket, wire: Duplex) {
    this.#socket = socket;
    this.#wire = wire;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  reply(message: ServerReply): void {
    if (this.isOpen) this.#socket.send(JSON.stringify(message));
  }

  deliver(events: readonly OutgoingEvent[]): void {
    if (!this.isOpen) return;
    this.#wire.cork(); // one write for all of them
    for (const { json } of events) this.#socket.send(json, AS_TEXT);
    this.#wire.uncork();
  }

  waitingBytes(): number {
    return this.#socket.bufferedAmount;
  }

  close(code: CloseCode, reason: string): void {
    this.#socket.close(code, shorten(reason));
  }
}
