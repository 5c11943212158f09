/** Which row was opened last, kept in the browser's history beside the address of the list. */
const NAME = 'openedRow';

export interface OpenedRow {
  readonly index: number;
  readonly id: string;
}

const stateNow = (): Readonly<Record<string, unknown>> => {
  const state: unknown = history.state;
  return typeof state === 'object' && state !== null ? (state as Record<string, unknown>) : {};
};

/** To be called before the list is left for a document. */
export const rememberOpenedRow = (row: OpenedRow): void => history.replaceState({ ...stateNow(), [NAME]: row }, '');

/** The row that was opened, where one has come back to the list. */
export const openedRow = (): OpenedRow | undefined => stateNow()[NAME] as OpenedRow | undefined;

/** After it the list begins at its beginning again, as on a reload. */
export const forgetOpenedRow = (): void => {
  if (openedRow() !== undefined) history.replaceState({ ...stateNow(), [NAME]: undefined }, '');
};
