import type { FeedEvent } from '@sheaf/events';
import type { EventType } from '@sheaf/vocabulary/events';

/** What is delivered: an event in its place, or counts of the moment, which are never told again and so have no number. */
export type DeliveredEvent = Omit<FeedEvent, 'ownerId' | 'seq'> & Partial<Pick<FeedEvent, 'seq'>>;

/** An event on its way to many: what it says is made once, whoever hears it. */
export class OutgoingEvent {
  readonly event: DeliveredEvent;
  #body: Readonly<Record<string, unknown>> | undefined;
  #json: Buffer | undefined;

  constructor(event: DeliveredEvent) {
    this.event = event;
  }

  get type(): EventType {
    return this.event.type;
  }

  /** Its data also stand at the top, but for names that the event itself has there. */
  get body(): Readonly<Record<string, unknown>> {
    if (this.#body !== undefined) return this.#body;
    const { type, seq, createdAt, data } = this.event;
    const own = { type, ...(seq === undefined ? {} : { seq }), timestamp: createdAt.toISOString(), data };
    this.#body = { ...own, ...data, ...own };
    return this.#body;
  }

  /** The body as JSON, ready to be sent to any number of clients. */
  get json(): Buffer {
    this.#json ??= Buffer.from(JSON.stringify(this.body));
    return this.#json;
  }
}
