/** What a connection may cost. Tests have shorter times. */
export interface EventLimits {
  /** A connection has to say who it is within this time. */
  readonly authMs: number;
  /** How often it is asked whether it is still there, and how long it may take to answer. */
  readonly pingMs: number;
  /** Who has not said by then what he wants to hear hears everything. */
  readonly subscribeMs: number;
  /** However quiet it stays, credentials are looked at again after this time. */
  readonly recheckMs: number;
  /** What may wait for a client before it counts as too slow. */
  readonly waitingBytes: number;
  readonly messagesPerSecond: number;
  /** Connections that have not said who they are: in all, and of one address. */
  readonly unknown: number;
  readonly unknownPerAddress: number;
}

export const EVENT_LIMITS: EventLimits = {
  authMs: 10_000,
  pingMs: 30_000,
  subscribeMs: 1_000,
  recheckMs: 300_000,
  waitingBytes: 1024 * 1024,
  messagesPerSecond: 30,
  unknown: 100,
  unknownPerAddress: 10,
};
