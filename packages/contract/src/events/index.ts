export {
  type ClientMessage,
  clientMessage,
  eventTypeOf,
  type ServerReply,
  type SubscribeRequest,
  subscribeRequest,
} from './event-messages.ts';
