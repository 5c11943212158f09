import { useSyncExternalStore } from 'react';
import { useEvents } from '../../events/events.tsx';

/** Percent by document, of those that are being read. Kept outside of the rows: each row hears only of its own. */
const progress = new Map<string, number>();
const listeners = new Set<() => void>();

/** Follows the events; to be used once on a screen. */
export const useFollowReading = (): void => {
  useEvents(({ type, data }) => {
    const { document_id: id, progress: percent, status } = data;
    if (type !== 'ocr_progress' || typeof id !== 'string' || typeof percent !== 'number') return;
    if (status === 'processing') progress.set(id, percent);
    else progress.delete(id);
    for (const listener of listeners) listener();
  });
};

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** How far the reading of a document has come, in percent; undefined where nothing is known. */
export const useReadingProgress = (id: string): number | undefined => useSyncExternalStore(subscribe, () => progress.get(id));
