import type { GuardedFetch } from '@sheaf/outbound';
import { sleep } from '@sheaf/process';
import { readPgm } from '../images/grey-image.ts';
import { type Operation, toCloudReading, toServiceError } from './cloud-answer.ts';
import { type CloudAccount, CloudClient, type CloudPatience, type Deadline } from './cloud-client.ts';
import { CLOUD_LANGUAGES, localeOf } from './cloud-locales.ts';
import { cloudFailure } from './cloud-outcome.ts';
import { encodePage } from './cloud-page-image.ts';
import type { OcrOutcome, OcrReading, OcrRunner, OcrTask, Turn } from './ocr-runner.ts';

export interface CloudRunnerSettings extends CloudAccount {
  readonly fetch: GuardedFetch;
  readonly patience?: CloudPatience;
}

const PATIENCE: CloudPatience = { tries: 5, retryMs: { baseMs: 1_000, maxMs: 30_000 }, pollMs: { baseMs: 500, maxMs: 5_000 } };
const POLL_GROWTH = 1.5;
/** What the service says of pages that it cannot read whoever asks. */
const UNFIT_PAGE = /^(Invalid|Unsupported)/;

/**
 * The "read" model of Azure Document Intelligence. A page is handed in as a picture and its result asked for until it is there.
 * The page leaves this machine; the key goes to the configured address and nowhere else.
 */
export class CloudRunner implements OcrRunner {
  readonly name = 'cloud';
  readonly canReadAgain = false;
  readonly languages = CLOUD_LANGUAGES;
  readonly #client: CloudClient;
  readonly #patience: CloudPatience;

  constructor({ fetch, patience = PATIENCE, ...account }: CloudRunnerSettings) {
    this.#patience = patience;
    this.#client = new CloudClient(account, fetch, patience);
  }

  /** Throws the signal's reason when aborted. */
  async read({ imagePath, language, timeoutMs, signal }: OcrTask): Promise<OcrOutcome<OcrReading>> {
    signal.throwIfAborted();
    const end = performance.now() + timeoutMs;
    const deadline: Deadline = { signal, leftMs: () => end - performance.now() };
    const page = await readPgm(imagePath);
    if (page === undefined) return cloudFailure('corrupt', 'The page image is incomplete');
    const submitted = await this.#client.submit(await encodePage(page), localeOf(language), deadline);
    return submitted.ok ? this.#await(submitted.value, submitted.retryAfterMs, deadline) : submitted;
  }

  /** The service reads a page however it lies. */
  async findTurn(): Promise<Turn> {
    return 0;
  }

  async close(): Promise<void> {}

  async #await(location: URL, firstPauseMs: number | undefined, deadline: Deadline): Promise<OcrOutcome<OcrReading>> {
    const { baseMs, maxMs } = this.#patience.pollMs;
    let [pauseMs, usualMs] = [firstPauseMs ?? baseMs, baseMs];
    for (let status = 'notStarted'; ; ) {
      if (pauseMs >= deadline.leftMs()) return ranOutOfTime(status);
      await sleep(pauseMs, deadline.signal);
      deadline.signal.throwIfAborted();
      const looked = await this.#client.look(location, deadline);
      if (!looked.ok) return deadline.leftMs() < baseMs && looked.reason === 'ocr_unavailable' ? ranOutOfTime(status) : looked;
      const outcome = this.#toOutcome(looked.value);
      if (outcome !== undefined) return outcome;
      status = looked.value.status;
      usualMs = Math.min(maxMs, usualMs * POLL_GROWTH);
      pauseMs = Math.max(looked.retryAfterMs ?? usualMs, baseMs);
    }
  }

  /** Undefined while the service is at work. */
  #toOutcome({ status, error, analyzeResult }: Operation): OcrOutcome<OcrReading> | undefined {
    if (status === 'notStarted' || status === 'running') return undefined;
    if (status === 'succeeded' && analyzeResult !== undefined) return { ok: true, value: toCloudReading(analyzeResult) };
    const { codes, message } = toServiceError(error);
    if (!codes.some((code) => UNFIT_PAGE.test(code))) return { ok: false, reason: 'reader_died' };
    return cloudFailure('corrupt', this.#client.redact(`The OCR service rejected the page (${message})`));
  }
}

/** A page that was begun and takes too long is that page's trouble; one that was never begun waits for a busy service. */
const ranOutOfTime = (status: string): OcrOutcome<OcrReading> =>
  status === 'running'
    ? { ok: false, reason: 'timeout' }
    : cloudFailure('ocr_unavailable', 'The OCR service did not start processing the page in time');
