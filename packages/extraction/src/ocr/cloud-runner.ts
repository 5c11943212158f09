import type { GuardedFetch } from '@sheaf/outbound';
import { sleep } from '@sheaf/process';
import { type GreyImage, readPgm, toSharp } from '../images/grey-image.ts';
import {
  type CloudAccount,
  CloudClient,
  type CloudPatience,
  cloudFailure,
  type Deadline,
  type Operation,
  toCloudReading,
  toServiceError,
} from './cloud-client.ts';
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
  readonly canRunOcrAgain = false;
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

/** What the service takes on every plan: 50 to 10,000 pixels a side and 4 MB on the free one. */
const SIDE = { min: 50, max: 10_000 };
const MAX_BYTES = 4_000_000;
/** Tried in this order until the picture is small enough. A page of A4 at 300 dpi has about 1 MB by the first. */
const WAYS = [
  { quality: 90, scale: 1 },
  { quality: 75, scale: 1 },
  { quality: 75, scale: 0.5 },
  { quality: 60, scale: 0.25 },
] as const;

const encode = async (image: GreyImage, quality: number, scale: number): Promise<Buffer> => {
  const { width, height } = image;
  const factor = Math.min(scale, SIDE.max / Math.max(width, height));
  const size = { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) };
  const grey = await toSharp(image);
  const scaled = factor < 1 ? grey.resize({ ...size, fit: 'fill' }) : grey;
  const margin = { right: Math.max(0, SIDE.min - size.width), bottom: Math.max(0, SIDE.min - size.height) };
  return scaled
    .extend({ ...margin, background: 'white' })
    .toColourspace('b-w')
    .jpeg({ quality })
    .toBuffer();
};

/** A page as the service takes it: JPEG, which is a tenth of the PGM and costs no word. */
const encodePage = async (image: GreyImage): Promise<Buffer> => {
  let jpeg: Buffer = Buffer.alloc(0);
  for (const { quality, scale } of WAYS) {
    jpeg = await encode(image, quality, scale);
    if (jpeg.length <= MAX_BYTES) break;
  }
  return jpeg;
};

/** The languages of tesseract that the cloud engine reads, as the language tags it takes. */
const LOCALES: Readonly<Record<string, string>> = {
  afr: 'af',
  ara: 'ar',
  aze: 'az',
  bel: 'be',
  bos: 'bs',
  bre: 'br',
  bul: 'bg',
  cat: 'ca',
  ceb: 'ceb',
  ces: 'cs',
  chi_sim: 'zh-Hans',
  chi_tra: 'zh-Hant',
  cos: 'co',
  cym: 'cy',
  dan: 'da',
  deu: 'de',
  ell: 'el',
  eng: 'en',
  epo: 'eo',
  est: 'et',
  eus: 'eu',
  fao: 'fo',
  fas: 'fa',
  fil: 'fil',
  fin: 'fi',
  fra: 'fr',
  fry: 'fy',
  gla: 'gd',
  gle: 'ga',
  glg: 'gl',
  hat: 'ht',
  heb: 'he',
  hin: 'hi',
  hrv: 'hr',
  hun: 'hu',
  ind: 'id',
  isl: 'is',
  ita: 'it',
  jav: 'jv',
  jpn: 'ja',
  kaz: 'kk',
  kir: 'ky',
  kor: 'ko',
  lat: 'la',
  lav: 'lv',
  lit: 'lt',
  ltz: 'lb',
  mar: 'mr',
  mkd: 'mk',
  mlt: 'mt',
  mon: 'mn',
  mri: 'mi',
  msa: 'ms',
  nep: 'ne',
  nld: 'nl',
  nor: 'no',
  oci: 'oc',
  pol: 'pl',
  por: 'pt',
  pus: 'ps',
  que: 'qu',
  ron: 'ro',
  rus: 'ru',
  san: 'sa',
  slk: 'sk',
  slv: 'sl',
  spa: 'es',
  sqi: 'sq',
  srp: 'sr',
  srp_latn: 'sr-Latn',
  sun: 'su',
  swa: 'sw',
  swe: 'sv',
  tam: 'ta',
  tat: 'tt',
  tgk: 'tg',
  tha: 'th',
  ton: 'to',
  tur: 'tr',
  uig: 'ug',
  ukr: 'uk',
  urd: 'ur',
  uzb: 'uz',
  vie: 'vi',
  yor: 'yo',
};

const CLOUD_LANGUAGES: ReadonlySet<string> = new Set(Object.keys(LOCALES));

/** The hint for one language. The engine takes only one, and finds out by itself where several are asked for. */
const localeOf = (language: string): string | undefined => LOCALES[language];
