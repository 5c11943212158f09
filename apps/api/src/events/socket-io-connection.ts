import type { ServerReply } from '@sheaf/contract/events';
import type { CloseCode } from '@sheaf/vocabulary/events';
import type { Socket } from 'socket.io';
import type { EventConnection } from './event-connection.ts';
import type { OutgoingEvent } from './outgoing-event.ts';

/** What a transport has not sent yet, where it knows: the type of a transport does not tell. */
const bufferedBy = (transport: unknown): number => {
  const { socket } = transport as { readonly socket?: { readonly bufferedAmount?: number } };
  return socket?.bufferedAmount ?? 0;
};

/** A client of socket.io. What is said has the same form as over /ws, in messages named by its type. */
export class SocketIoConnection implements EventConnection {
  readonly protocol = 'socket.io';
  readonly #socket: Socket;
  /** Said, and not taken by the transport. */
  #queuedBytes = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.conn.on('flush', () => {
      this.#queuedBytes = 0;
    });
  }

  get isOpen(): boolean {
    return this.#socket.connected;
  }

  reply(message: ServerReply): void {
    if (this.isOpen) this.#socket.emit(message.type, message);
  }

  deliver(events: readonly OutgoingEvent[]): void {
    if (!this.isOpen) return;
    for (const { type, body, json } of events) {
      this.#queuedBytes += json.length; // before it may be flushed
      this.#socket.emit(type, body);
    }
  }

  waitingBytes(): number {
    return this.#queuedBytes + bufferedBy(this.#socket.conn.transport);
  }

  /** There are no codes here, so what would be one is said in a message before. */
  close(code: CloseCode, reason: string): void {
    if (this.isOpen) this.#socket.emit('closing', { close_code: code, reason });
    this.#socket.disconnect(true);
  }
}
