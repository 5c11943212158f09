import { setImmediate, setTimeout as sleepMs } from 'node:timers/promises';
import type { ServerReply } from '@sheaf/contract/events';
import type { CloseCode } from '@sheaf/vocabulary/events';
import type { OutgoingEvent } from './outgoing-event.ts';

export const PROTOCOLS = ['websocket', 'socket.io'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** A client's connection, whatever it speaks. None of these throw when it is closed. */
export interface EventConnection {
  readonly protocol: Protocol;
  readonly isOpen: boolean;
  reply(message: ServerReply): void;
  deliver(events: readonly OutgoingEvent[]): void;
  /** What was sent and has not left yet. */
  waitingBytes(): number;
  close(code: CloseCode, reason: string): void;
}

const PAUSE_MS = { first: 2, longest: 250 } as const;

/** Resolves when all that was sent has left, the connection is closed, or nobody `isWaiting` for it any more. */
export const untilDrained = async (connection: EventConnection, isWaiting: () => boolean): Promise<void> => {
  await setImmediate();
  for (let pauseMs: number = PAUSE_MS.first; isWaiting() && connection.isOpen && connection.waitingBytes() > 0; ) {
    await sleepMs(pauseMs);
    pauseMs = Math.min(PAUSE_MS.longest, pauseMs * 2);
  }
};
