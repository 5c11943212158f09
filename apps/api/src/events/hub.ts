import { setImmediate } from 'node:timers/promises';
import type { FeedEvent } from '@sheaf/events';
import { OutgoingEvent } from './outgoing-event.ts';

/** Who hears events at the moment they come. */
export interface Subscriber {
  /** All events up to and with the number `upTo` that follow those it was given before. */
  hear(events: readonly HeardOutgoing[], upTo: number): void;
}

/** An event and the owner of its subject. */
export interface HeardOutgoing {
  readonly ownerId: string | null;
  readonly outgoing: OutgoingEvent;
}

/** Handing over some 2,000 events takes about 20 ms; then others get a turn. */
const HANDED_AT_ONCE = 2_000;
/** More of them at once would be much to wait for a connection that reads. */
const EVENTS_AT_ONCE = 200;

/** Passes events on to all who listen, in their order. */
export class EventHub {
  readonly #subscribers = new Set<Subscriber>();
  readonly #watchers: ((events: readonly FeedEvent[]) => void)[] = [];
  #position = 0;

  /** The number of the last event that was passed on. All up to it are to be found in the database. */
  get position(): number {
    return this.#position;
  }

  /** From now on events behind `position` come. */
  startAt(position: number): void {
    this.#position = position;
  }

  /** Calls `watcher` with all events that are passed on from now on. */
  watch(watcher: (events: readonly FeedEvent[]) => void): void {
    this.#watchers.push(watcher);
  }

  /** From now on `subscriber` hears all that comes behind `position`. */
  join(subscriber: Subscriber): void {
    this.#subscribers.add(subscriber);
  }

  leave(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
  }

  /** `events` are all there are between the present position and `upTo`, in their order. */
  async publish(events: readonly FeedEvent[], upTo: number): Promise<void> {
    for (let at = 0; at < events.length; ) {
      const size = Math.min(EVENTS_AT_ONCE, Math.ceil(HANDED_AT_ONCE / (this.#subscribers.size + 1)));
      const some = events.slice(at, at + size);
      at += some.length;
      this.#pass(some, at === events.length ? upTo : (some.at(-1)?.seq ?? upTo));
      if (at < events.length) await setImmediate();
    }
    if (events.length === 0) this.#pass([], upTo);
  }

  #pass(events: readonly FeedEvent[], upTo: number): void {
    this.#position = upTo;
    const outgoing = events.map((event) => ({ ownerId: event.ownerId, outgoing: new OutgoingEvent(event) }));
    for (const subscriber of this.#subscribers) subscriber.hear(outgoing, upTo);
    for (const watcher of this.#watchers) watcher(events);
  }
}
