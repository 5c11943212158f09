export { type FeedEvent, type FeedRange, findOldestSeq, numberEvents, readEvents, readEventsFor, readFeedPosition } from './event-feed.ts';
export { deleteEventsBefore, recordEvent, recordEvents, toEventRow } from './events.ts';
