import type { ClaimedDelivery } from './queries/deliveries.ts';

/** What became of one attempt. */
export type Attempt =
  | { readonly kind: 'delivered'; readonly status: number | null }
  | {
      readonly kind: 'undelivered';
      /** What the receiver answered, where it did. */
      readonly status: number | null;
      /** In words, without secrets: an administrator reads it. */
      readonly error: string;
      /** Whether no further attempt can change it. */
      readonly isFinal: boolean;
    };

/** A channel by which notifications leave. */
export interface DeliveryWay {
  /** Tries once, in bounded time. Throws only when `signal` was aborted: then it is not known whether it has arrived. */
  send(delivery: ClaimedDelivery, signal: AbortSignal): Promise<Attempt>;
}

const MAX_ERROR_CHARACTERS = 500;

/** What a stranger's server has said, fit to be kept and shown: PostgreSQL takes no NUL and no half of a character. */
export const toErrorText = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .slice(0, MAX_ERROR_CHARACTERS)
    .toWellFormed();
