const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;
const STEP = 1_000;

/** `12.3 MB`. */
export const formatBytes = (bytes: number): string => {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(STEP)));
  return `${power === 0 ? bytes : (bytes / STEP ** power).toFixed(1)} ${UNITS[power]}`;
};

/** `20,000`. */
export const formatCount = (count: number): string => count.toLocaleString('en-US');

/** `12.3 s, 103.4 MB/s`. */
export const formatPace = (bytes: number, elapsedMs: number): string =>
  `${(elapsedMs / 1_000).toFixed(1)} s, ${(bytes / 1e6 / Math.max(elapsedMs / 1_000, 0.001)).toFixed(1)} MB/s`;

const TICK_MS = 200;

/** A bar on stderr where that is a terminal. May be closed twice. */
export const openProgress = (): { readonly report: Progress; close(): void } => {
  const write = (text: string): unknown => process.stderr.write(text);
  const report = new Progress({ write, isTerminal: process.stderr.isTTY, isVerbose: false, now: () => performance.now() });
  const ticking = setInterval(() => report.tick(), TICK_MS).unref();
  return {
    report,
    close: () => {
      clearInterval(ticking);
      report.end();
    },
  };
};

interface ProgressSettings {
  readonly write: (text: string) => void;
  /** Whether `write` goes to a terminal, where a line can be drawn again. */
  readonly isTerminal: boolean;
  readonly isVerbose: boolean;
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number;
}

/** How often a bar is drawn. */
const DRAW_MS = 200;
const BAR_WIDTH = 24;
const MEGABYTE = 1_000_000;
const CLEAR_LINE = '\r\u001b[K';

/** `2 h 05 min`, `3 min 20 s`, `12 s`. */
export const formatDuration = (seconds: number): string => {
  const whole = Math.ceil(seconds);
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60)];
  if (hours > 0) return `${hours} h ${String(minutes).padStart(2, '0')} min`;
  return minutes > 0 ? `${minutes} min ${String(whole % 60).padStart(2, '0')} s` : `${whole} s`;
};

interface Phase {
  readonly name: string;
  readonly total: Extent | undefined;
  readonly startedAt: number;
}

/** Shows how far a phase is as a bar on a terminal, and nothing elsewhere. Call `tick` again and again. */
export class Progress implements Report {
  readonly #settings: ProgressSettings;
  #phase: Phase | undefined;
  #files = 0;
  #bytes = 0;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #isDrawn = false;

  constructor(settings: ProgressSettings) {
    this.#settings = settings;
  }

  begin(phase: string, total?: Extent): void {
    this.erase();
    this.#phase = { name: phase, total, startedAt: this.#settings.now() };
    this.#files = 0;
    this.#bytes = 0;
    this.#drawnAt = this.#settings.now();
  }

  advance(bytes: number): void {
    this.#files += 1;
    this.#bytes += bytes;
    this.tick();
  }

  /** As many of the phase are done by now. */
  reach(files: number): void {
    this.#files = files;
    this.tick();
  }

  line(text: string): void {
    this.erase();
    this.#settings.write(`${text}\n`);
  }

  detail(text: string): void {
    if (this.#settings.isVerbose) this.line(text);
  }

  /** Tells how far it is, if that is due. */
  tick(): void {
    const { now, isTerminal, write } = this.#settings;
    if (!isTerminal || this.#phase === undefined || now() - this.#drawnAt < DRAW_MS) return;
    this.#drawnAt = now();
    write(`${CLEAR_LINE}${this.#describe(this.#phase)}`);
    this.#isDrawn = true;
  }

  /** Nothing more comes. */
  end(): void {
    this.erase();
    this.#phase = undefined;
  }

  /** Takes the bar away, for what is written elsewhere on the same terminal. */
  erase(): void {
    if (this.#isDrawn) this.#settings.write(CLEAR_LINE);
    this.#isDrawn = false;
  }

  #describe({ name, total, startedAt }: Phase): string {
    const seconds = (this.#settings.now() - startedAt) / 1_000;
    const rate = this.#rateOver(Math.max(seconds, 0.001));
    if (total === undefined || total.files === 0) return `${name}: ${this.#files} ${this.#unit}, ${rate}`;
    const part = this.#partOf(total);
    const left = part > 0 && part < 1 ? `, ${formatDuration((seconds / part) * (1 - part))} left` : '';
    const bar = '#'.repeat(Math.round(part * BAR_WIDTH)).padEnd(BAR_WIDTH, '-');
    return `${name} [${bar}] ${Math.floor(part * 100)} % ${this.#files}/${total.files} ${this.#unit}, ${rate}${left}`;
  }

  get #unit(): string {
    return this.#phase?.total?.unit ?? 'files';
  }

  #rateOver(seconds: number): string {
    return this.#bytes === 0 ? `${Math.round(this.#files / seconds)}/s` : `${(this.#bytes / MEGABYTE / seconds).toFixed(1)} MB/s`;
  }

  /** By bytes, as large files take long; by files where all are empty. More may have come than there were. */
  #partOf({ files, bytes }: Extent): number {
    if (files === 0) return 1;
    return Math.min(1, bytes > 0 ? this.#bytes / bytes : this.#files / files);
  }
}

interface Extent {
  readonly files: number;
  readonly bytes: number;
  /** What is counted; `files` where nothing is said. */
  readonly unit?: string;
}

/** What a person is told while the tool works. */
export interface Report {
  /** A new phase, with so much ahead where that is known. */
  begin(phase: string, total?: Extent): void;
  /** One more file of the phase is done. */
  advance(bytes: number): void;
  /** What everybody should read. */
  line(text: string): void;
  /** What only those read who asked for it. */
  detail(text: string): void;
}
