import { text } from 'node:stream/consumers';
import { type Secret, stripEnd } from '@sheaf/contract';
import { type GuardedFetch, type GuardedRequest, OutboundError } from '@sheaf/outbound';
import { backoffMs, sleep } from '@sheaf/process';
import type { Box, PageWord } from '@sheaf/vocabulary/page-words';
import { z } from 'zod';
import { type EngineFailure, type OcrLine, type OcrReading, toReading } from './ocr-runner.ts';

/** The part of the wire format (api-version 2024-11-30) that is read; offsets are UTF-16 code units, as we ask for them. */
const span = z.object({ offset: z.int().min(0) });
/** The corners of a word, clockwise from the top left, in the unit of the page. */
const polygon = z.array(z.number()).min(8).optional().catch(undefined);
const word = z.object({ content: z.string(), span, confidence: z.number().catch(0), polygon });
const line = z.object({ content: z.string(), spans: z.array(span) });
const side = z.number().positive().default(1).catch(1);
const page = z.object({ width: side, height: side, words: z.array(word).default([]), lines: z.array(line).default([]) });
const analyzeResult = z.object({ pages: z.array(page), paragraphs: z.array(z.object({ spans: z.array(span) })).default([]) });

const serviceError = z.object({
  code: z.string().default(''),
  message: z.string().default(''),
  innererror: z.object({ code: z.string().default(''), message: z.string().default('') }).optional(),
  details: z.array(z.object({ code: z.string().default('') })).default([]),
});
const errorBody = z.object({ error: serviceError });

export const operation = z.object({ status: z.string(), error: serviceError.optional(), analyzeResult: analyzeResult.optional() });
export type Operation = z.output<typeof operation>;

export interface ServiceError {
  /** Its own code and those of what it was caused by. */
  readonly codes: readonly string[];
  readonly message: string;
}

const NO_ERROR: ServiceError = { codes: [], message: '' };

export const toServiceError = (error: z.output<typeof serviceError> | undefined): ServiceError =>
  error === undefined
    ? NO_ERROR
    : {
        codes: [error.code, error.innererror?.code ?? '', ...error.details.map((detail) => detail.code)].filter((code) => code !== ''),
        message: (error.innererror?.message || error.message).slice(0, 300),
      };

/** What the body of an error answer says; gateways in between answer in formats of their own. */
export const parseServiceError = (text: string): ServiceError => {
  const parsed = errorBody.safeParse(parseJson(text));
  return parsed.success ? toServiceError(parsed.data.error) : NO_ERROR;
};

/** Undefined where the text is no JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Which piece an offset lies in, for offsets that grow: the last one that begins at or before it. */
const finder = (pieces: readonly { readonly spans: readonly { readonly offset: number }[] }[]) => {
  const starts = pieces.flatMap(({ spans }, index) => spans.map(({ offset }) => ({ offset, index }))).sort((a, b) => a.offset - b.offset);
  let at = -1;
  return (offset: number): number => {
    while ((starts[at + 1]?.offset ?? Number.POSITIVE_INFINITY) <= offset) at += 1;
    return starts[at]?.index ?? 0;
  };
};

type PageSize = Pick<z.output<typeof page>, 'width' | 'height'>;

const toPageWord = ({ content, confidence, polygon: corners = [] }: z.output<typeof word>, { width, height }: PageSize): PageWord => ({
  text: content,
  confidence: Math.min(1, Math.max(0, confidence)),
  box: around(
    corners.filter((_, at) => at % 2 === 0).map((x) => x / width),
    corners.filter((_, at) => at % 2 === 1).map((y) => y / height),
  ),
});

const around = (xs: readonly number[], ys: readonly number[]): Box => {
  if (xs.length === 0) return { x: 0, y: 0, width: 0, height: 0 };
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
};

interface Line extends OcrLine {
  readonly content: string;
}

const linesOf = ({ words, lines, ...size }: z.output<typeof page>, paragraphAt: (offset: number) => number): readonly Line[] => {
  if (lines.length === 0) {
    const all = words.map((each) => toPageWord(each, size));
    return all.length === 0 ? [] : [{ paragraph: '', content: all.map(({ text }) => text).join(' '), words: all }];
  }
  const groups = lines.map((): PageWord[] => []);
  const lineAt = finder(lines);
  for (const each of words.toSorted((a, b) => a.span.offset - b.span.offset))
    groups[lineAt(each.span.offset)]?.push(toPageWord(each, size));
  return lines.map(({ content, spans }, index) => ({
    content,
    paragraph: `${paragraphAt(spans[0]?.offset ?? 0)}`,
    words: groups[index] ?? [],
  }));
};

/** The text is that of the lines, because only they know which words stand without a space between them. */
export const toCloudReading = ({ pages, paragraphs }: z.output<typeof analyzeResult>): OcrReading => {
  const paragraphAt = finder(paragraphs);
  const lines = pages.flatMap((each) => linesOf(each, paragraphAt));
  let text = '';
  for (const [index, { content, paragraph }] of lines.entries()) {
    if (index > 0) text += lines[index - 1]?.paragraph === paragraph ? '\n' : '\n\n';
    text += content;
  }
  return { ...toReading(lines), text };
};

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
