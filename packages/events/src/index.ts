export {
  deleteEventsBefore,
  type FeedEvent,
  type FeedRange,
  findOldestSeq,
  numberEvents,
  readEvents,
  readEventsFor,
  readFeedPosition,
  recordEvent,
  recordEvents,
  toEventRow,
} from './event-feed.ts';
