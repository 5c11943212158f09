import { text } from 'node:stream/consumers';
import { type Secret, stripEnd } from '@sheaf/contract';
import { type GuardedFetch, type GuardedRequest, OutboundError } from '@sheaf/outbound';
import { backoffMs, sleep } from '@sheaf/process';
import { type Operation, operation, parseJson, parseServiceError } from './cloud-answer.ts';
import type { EngineFailure } from './ocr-runner.ts';

export interface CloudAccount {
  readonly endpoint: string;
  readonly key: Secret;
}

export interface CloudPatience {
  /** How often one request is sent before the service counts as unavailable. */
  readonly tries: number;
  readonly retryMs: { readonly baseMs: number; readonly maxMs: number };
  /** The pause before the first look at a result; the later ones grow. */
  readonly pollMs: { readonly baseMs: number; readonly maxMs: number };
}

/** The time that is left for a page. */
export interface Deadline {
  readonly leftMs: () => number;
  readonly signal: AbortSignal;
}

type Asked<T> = { readonly ok: true; readonly value: T; readonly retryAfterMs: number | undefined } | EngineFailure;

/** What came of sending a request once: an end, or the words for a trouble that may pass. */
type Attempt<T> = Asked<T> | { readonly ok: 'not_yet'; readonly problem: string; readonly retryAfterMs?: number | undefined };

/** An answer that came whole, whatever it says. */
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const API_VERSION = '2024-11-30';
const REQUEST_TIMEOUT_MS = 60_000;
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const WORTH_A_RETRY: ReadonlySet<string> = new Set(['dns', 'connection', 'tls', 'timeout']);
const UNFIT_PAGE: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/** Seconds or a date. */
export const parseRetryAfterMs = (value: string | undefined, nowMs: number): number | undefined => {
  if (value === undefined) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
};

const isBusy = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/** Speaks to the service: each request is repeated while that can help and time is left, and none goes to another host. */
export class CloudClient {
  readonly #account: CloudAccount;
  readonly #fetch: GuardedFetch;
  readonly #patience: CloudPatience;

  constructor(account: CloudAccount, fetch: GuardedFetch, patience: CloudPatience) {
    this.#account = account;
    this.#fetch = fetch;
    this.#patience = patience;
  }

  /** Hands a page in; the value is where its result will be. */
  async submit(image: Uint8Array, locale: string | undefined, deadline: Deadline): Promise<Asked<URL>> {
    const asked = await this.#submit(image, locale, deadline);
    // which languages are taken as a hint changes over time, and the engine finds out by itself without one
    return locale !== undefined && !asked.ok && asked.reason === 'corrupt' ? this.#submit(image, undefined, deadline) : asked;
  }

  async #submit(image: Uint8Array, locale: string | undefined, deadline: Deadline): Promise<Asked<URL>> {
    const url = new URL(`${stripEnd(this.#account.endpoint, '/')}/documentintelligence/documentModels/prebuilt-read:analyze`);
    url.searchParams.set('api-version', API_VERSION);
    url.searchParams.set('stringIndexType', 'utf16CodeUnit');
    if (locale !== undefined) url.searchParams.set('locale', locale);
    const headers = { 'content-type': 'application/octet-stream' };
    const asked = await this.#ask(url, { method: 'POST', headers, body: image }, deadline, findLocation);
    if (!asked.ok || asked.value.origin === url.origin) return asked;
    const elsewhere = `The OCR service at ${url.host} returned a result URL on another host: ${asked.value.origin}`;
    return cloudFailure('ocr_refused', this.redact(elsewhere));
  }

  /** One look at a result. */
  look(location: URL, deadline: Deadline): Promise<Asked<Operation>> {
    return this.#ask(location, {}, deadline, findOperation);
  }

  async #ask<T>(url: URL, request: GuardedRequest, deadline: Deadline, find: (answer: Answer) => T | undefined): Promise<Asked<T>> {
    const { tries, retryMs } = this.#patience;
    for (let attempt = 1; ; attempt += 1) {
      const result = await this.#attempt(url, request, deadline, find);
      if (result.ok !== 'not_yet') return result;
      const { retryAfterMs, problem } = result;
      // when everyone is told the same time, they should not all come back at once
      const pauseMs = retryAfterMs === undefined ? backoffMs(attempt, retryMs) : retryAfterMs + Math.random() * retryMs.baseMs;
      // to wait longer than there is time for would only hold up the others
      if (attempt >= tries || pauseMs >= deadline.leftMs()) return cloudFailure('ocr_unavailable', problem);
      await sleep(pauseMs, deadline.signal);
      deadline.signal.throwIfAborted();
    }
  }

  async #attempt<T>(
    url: URL,
    request: GuardedRequest,
    { leftMs, signal }: Deadline,
    find: (answer: Answer) => T | undefined,
  ): Promise<Attempt<T>> {
    const timeoutMs = Math.max(1, Math.ceil(Math.min(leftMs(), REQUEST_TIMEOUT_MS)));
    const limits = { signal, timeoutMs, maxResponseBytes: MAX_ANSWER_BYTES, maxRedirects: 0 };
    const headers = { accept: 'application/json', ...request.headers, 'ocp-apim-subscription-key': this.#account.key.reveal() };
    try {
      const response = await this.#fetch(url, { ...request, ...limits, headers });
      const answer = { status: response.status, headers: response.headers, text: await text(response.body) };
      return this.#judge(answer, url.host, find);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof OutboundError)) throw error;
      if (WORTH_A_RETRY.has(error.code)) return { ok: 'not_yet', problem: error.message };
      if (error.code === 'too_large') return cloudFailure('ocr_unavailable', error.message);
      return cloudFailure('ocr_refused', `${error.message}; check CLOUD_OCR_ENDPOINT`);
    }
  }

  #judge<T>(answer: Answer, host: string, find: (answer: Answer) => T | undefined): Attempt<T> {
    const { status } = answer;
    const retryAfterMs = parseRetryAfterMs(answer.headers['retry-after'], Date.now());
    const { message } = parseServiceError(answer.text);
    const said = this.redact(message === '' ? `status ${status}` : `status ${status}: ${message}`);
    if (isBusy(status)) return { ok: 'not_yet', problem: `The OCR service at ${host} is not available (${said})`, retryAfterMs };
    if (status === 401 || status === 403) return cloudFailure('ocr_refused', `The OCR service at ${host} rejected CLOUD_OCR_KEY (${said})`);
    if (UNFIT_PAGE.has(status)) return cloudFailure('corrupt', `The OCR service rejected the page (${said})`);
    if (status !== 200 && status !== 202) {
      return cloudFailure('ocr_refused', `No OCR service found at ${host}. Check CLOUD_OCR_ENDPOINT (${said})`);
    }
    const value = find(answer);
    if (value !== undefined) return { ok: true, value, retryAfterMs };
    return { ok: 'not_yet', problem: `The OCR service at ${host} returned an invalid response` };
  }

  /** Whatever the other side says is kept for people to read, and it has been given the key. */
  redact(message: string): string {
    return message.replaceAll(this.#account.key.reveal(), '***');
  }
}

const findLocation = ({ status, headers }: Answer): URL | undefined => {
  const location = headers['operation-location'] ?? '';
  return status === 202 && URL.canParse(location) ? new URL(location) : undefined;
};

const findOperation = ({ status, text }: Answer): Operation | undefined => {
  const parsed = operation.safeParse(parseJson(text));
  return status === 200 && parsed.success ? parsed.data : undefined;
};

export const cloudFailure = (reason: EngineFailure['reason'], message: string): EngineFailure => ({ ok: false, reason, message });
