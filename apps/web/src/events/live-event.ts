/** An event as it arrives; `data` is by its type. */
export interface LiveEvent {
  readonly type: string;
  /** Missing for what is told without being kept, such as the state of the queue. */
  readonly seq?: number | null;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}
