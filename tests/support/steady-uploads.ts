import { setTimeout as pause } from 'node:timers/promises';
import type { ApiClient } from '@sheaf/testkit';
import { waitFor } from './wait-for.ts';

const PAUSE_MS = 50;
/** Longer than any outage that is measured: an answer that never comes has to show. */
const ANSWER_LIMIT_MS = 120_000;

export interface Acknowledged {
  readonly id: string;
  readonly filename: string;
  /** Stands in this document alone. */
  readonly word: string;
  /** In ms, as `performance.now`. */
  readonly at: number;
}

/** What clients do that upload one file after the other and try each again until the service has acknowledged it. */
export interface SteadyUploads {
  readonly acknowledged: readonly Acknowledged[];
  /** Answers other than 201, by status; 0 where a connection broke or no answer came. */
  readonly refusals: ReadonlyMap<number, number>;
  /** Waits for `count` more that are acknowledged. */
  untilMore(count: number): Promise<void>;
  /** The longest time without an acknowledged upload that ended after `since`, in ms. */
  longestGapMs(since: number): number;
  /** Ends them, each with an acknowledged upload. */
  stop(): Promise<void>;
}

/** Starts `count` clients with the credentials of `client`; `name` stands in the names of their files. */
export const startSteadyUploads = (client: ApiClient, count: number, name: string): SteadyUploads => {
  const acknowledged: Acknowledged[] = [];
  const refusals = new Map<number, number>();
  const stopping = new AbortController();

  /** The id of the document, or undefined where the service did not say that it has it. */
  const tryOnce = async (filename: string, text: string): Promise<string | undefined> => {
    const form = new FormData();
    form.set('file', new Blob([text]), filename);
    let status = 0;
    try {
      const init = { method: 'POST', body: form, signal: AbortSignal.timeout(ANSWER_LIMIT_MS) };
      const response = await client.request('/api/documents/upload', init);
      const body = (await response.json()) as { id?: string; error?: { details?: { document_id?: string } } };
      ({ status } = response);
      if (status === 201) return body.id;
      // an earlier attempt was stored, and its answer lost
      if (status === 409) return body.error?.details?.document_id;
      return undefined;
    } catch {
      return undefined;
    } finally {
      if (status !== 201) refusals.set(status, (refusals.get(status) ?? 0) + 1);
    }
  };

  const work = async (worker: number): Promise<void> => {
    for (let number = 1; !stopping.signal.aborted; number += 1) {
      const word = `steady${name}${worker}x${number}`;
      const filename = `${word}.txt`;
      let id: string | undefined;
      while (id === undefined) {
        id = await tryOnce(filename, `a letter about ${word}`);
        if (id === undefined) await pause(PAUSE_MS);
      }
      acknowledged.push({ id, filename, word, at: performance.now() });
      await pause(PAUSE_MS);
    }
  };

  const workers = Array.from({ length: count }, (_, index) => work(index + 1));
  return {
    acknowledged,
    refusals,
    untilMore: async (more) => {
      const wanted = acknowledged.length + more;
      await waitFor(() => acknowledged.length >= wanted, { description: `${more} more uploads to be acknowledged`, limitMs: 60_000 });
    },
    longestGapMs: (since) => {
      const times = acknowledged.map(({ at }) => at);
      return Math.max(...times.slice(1).map((at, index) => (at < since ? 0 : at - (times[index] ?? at))));
    },
    stop: async () => {
      stopping.abort();
      await Promise.all(workers);
    },
  };
};
