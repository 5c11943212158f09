import { AppError, errorChain } from '@sheaf/contract';
import { type Db, isDatabaseUnavailable } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import type { FoundFacts } from '@sheaf/facts';
import type { FactFinder } from '@sheaf/filing/facts';
import { type DocumentSignature, makeSignature } from '@sheaf/filing/near-duplicates';
import { backoffMs, type Live, type Logger, type Registry, sleep, untilAborted, withLogFields } from '@sheaf/process';
import { describeSpan, failSpan, inSpan, type Tracer, traced } from '@sheaf/process/tracing';
import {
  beginAlone,
  type ClaimedJob,
  getJobDocument,
  type JobFailure,
  LeaseLost,
  type ReleasePlace,
  releaseJob,
  renewLease,
} from '@sheaf/queue';
import { isNoRoom, WorkingSpace } from '@sheaf/storage';
import { complete, type FinishSettings, fail } from './finish-job.ts';
import type { Place } from './places.ts';
import {
  type JobOutcome,
  makeReadingMetrics,
  type ReadDeps,
  type ReadingMetrics,
  type ReadOutcome,
  type ReadSettings,
  readDocument,
} from './read-document.ts';

export interface JobSettings extends FinishSettings, ReadSettings {
  readonly leaseMs: number;
}

export interface JobRunnerDeps {
  /** What documents are read with. */
  readonly reading: Omit<ReadDeps, 'settings'>;
  readonly settings: Live<JobSettings>;
  readonly facts: Pick<FactFinder, 'find'>;
  /** Called after a document was completed. */
  readonly onCompleted: () => void;
  readonly tracer: Tracer;
  readonly registry: Registry;
}

/** What is said to a job while it runs. */
export interface JobControl {
  readonly stop: AbortSignal;
  /** Where the job goes in the queue when it is stopped. */
  readonly place: 'kept' | 'behind';
  /** Why the document fails for good, when that is the reason to stop. */
  readonly failure?: JobFailure;
  /** Set by the job when it knows its document. */
  sha256?: string;
  /** Ended when the jobs have that were running in this process when this one was claimed. */
  readonly othersEnded: Promise<unknown>;
  /** Set by the job while it holds a lease. */
  onCheckLease: () => void;
  /** Called by the job when it has pages to recognise, with how many. */
  readonly onRecognise: (pages: number) => void;
}

/** The storage is away or full: nothing is wrong with the document, which waits until it is back. */
const isStorageUnavailable = (error: unknown): boolean =>
  errorChain(error).some((met) => met instanceof AppError && met.kind === 'SERVICE_UNAVAILABLE');

/** At most so long after there is room again a document is processed that found none. */
const NO_ROOM_PAUSE_MS = 15_000;

/** The caller knows why. */
const STOPPED = { ok: false, reason: 'cancelled' } as const;

/** Runs claimed jobs to their end, whatever happens on the way. */
export class JobRunner {
  /** Where documents are processed, and whether there is room. */
  readonly space: WorkingSpace;
  readonly #deps: JobRunnerDeps;
  readonly #metrics: ReadingMetrics;

  constructor(deps: JobRunnerDeps) {
    this.#deps = deps;
    this.space = new WorkingSpace(deps.reading.tempPath);
    this.#metrics = makeReadingMetrics(deps.registry);
  }

  /**
   * Never throws: what goes wrong is on the job, or in the log when the database is not there to take it. An aborted
   * `control.stop` gives the job back.
   */
  run(job: ClaimedJob, control: JobControl): Promise<void> {
    const attributes = { 'sheaf.job.id': job.id, 'sheaf.document.id': job.documentId, 'sheaf.attempt': job.attempts };
    const start = { kind: 'consumer', parent: job.traceContext, attributes } as const;
    return withLogFields({ job_id: job.id, document_id: job.documentId, attempt: job.attempts }, () =>
      traced(this.#deps.tracer, 'read document', start, () => this.#run(job, control)),
    );
  }

  async #run(job: ClaimedJob, control: JobControl): Promise<void> {
    const { log } = this.#deps.reading;
    const startedAt = performance.now();
    let outcome: JobOutcome;
    try {
      outcome = await this.#attempt(job, control, log);
    } catch (error) {
      outcome = await this.#releaseTo(job, error, control, log);
    }
    const elapsedMs = performance.now() - startedAt;
    describeSpan({ 'sheaf.outcome': outcome });
    this.#metrics.jobEnded(outcome, elapsedMs / 1_000);
    log.info({ outcome, elapsed_ms: Math.round(elapsedMs) }, 'job ended');
  }

  async #attempt(job: ClaimedJob, control: JobControl, log: Logger): Promise<JobOutcome> {
    const { reading, settings } = this.#deps;
    const { db } = reading;
    const document = await getJobDocument(db, job);
    if (document === undefined) return 'lost'; // deleted since it was claimed, and the job with it
    control.sha256 = document.sha256;
    describeSpan({ 'sheaf.document.mime_type': document.mimeType, 'sheaf.document.bytes': document.sizeBytes });
    // more claims than tries: workers that still lived let its lease expire; crashes have a limit of their own
    if (job.attempts - job.crashes > job.maxAttempts) return this.#fail(job, document, { reason: 'reader_died' }, log);
    await using lease = holdLease(db, job, settings.current().leaseMs, log);
    control.onCheckLease = () => lease.check();
    const signal = AbortSignal.any([control.stop, lease.signal]);
    if (job.isSuspect) await untilAlone(db, job, control.othersEnded, signal);
    const read = signal.aborted ? STOPPED : await this.#read(job, document, { signal, onRecognise: control.onRecognise }, log);
    if (!read.ok && read.reason === 'split') return 'split'; // queued anew, and no longer this worker's
    lease.signal.throwIfAborted();
    if (control.failure !== undefined) return await this.#fail(job, document, control.failure, log);
    if (control.stop.aborted) return await this.#release(job, control.place);
    if (!read.ok) return await this.#fail(job, document, read, log);
    const facts = await inSpan('facts', {}, () => this.#findFacts(document, log));
    const signature = await inSpan('signature', {}, () => this.#makeSignature(document, log));
    const found = { facts, einvoice: read.einvoice, isSigned: read.isSigned, signature };
    const end = await inSpan('finish', {}, () =>
      complete(db, job, document, settings.current(), reading.extractor.installedLanguages(), found),
    );
    if (end === 'completed') this.#deps.onCompleted();
    return end === 'completed' ? end : await this.#fail(job, document, { reason: end }, log);
  }

  async #read(
    job: ClaimedJob,
    document: Document,
    control: { readonly signal: AbortSignal; readonly onRecognise: (pages: number) => void },
    log: Logger,
  ): Promise<ReadOutcome> {
    const { reading, settings } = this.#deps;
    try {
      return await readDocument(job, document, { ...reading, settings }, { metrics: this.#metrics, space: this.space, ...control });
    } catch (error) {
      if (control.signal.aborted) return STOPPED;
      if (error instanceof LeaseLost || isDatabaseUnavailable(error) || isStorageUnavailable(error)) throw error;
      // its file went before we were told that the document did, or has other contents
      if ((await getJobDocument(reading.db, job))?.sha256 !== document.sha256)
        throw new LeaseLost(`The document of job ${job.id} was deleted or replaced`);
      log.error({ err: error }, 'document processing failed with an internal error');
      return { ok: false, reason: 'internal' };
    }
  }

  /**
   * A document without facts is as readable as one with them, so nothing that is wrong with them ends its job. A database that is away is
   * not wrong with them: thrown, so that the job is released, and facts are found when it is back.
   */
  async #findFacts(document: Document, log: Logger): Promise<FoundFacts | undefined> {
    try {
      return await this.#deps.facts.find(document);
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      log.error({ err: error }, 'finding facts failed, document completes without them');
      return undefined;
    }
  }

  /** Neither does what is wrong with its signature: the backlog tries again. */
  async #makeSignature({ id }: Document, log: Logger): Promise<DocumentSignature | undefined> {
    try {
      return await makeSignature(this.#deps.reading.db, id);
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      log.error({ err: error }, 'signature for near-duplicates could not be made');
      return undefined;
    }
  }

  async #fail(job: ClaimedJob, document: Document, failure: JobFailure, log: Logger): Promise<JobOutcome> {
    const outcome = await fail(this.#deps.reading.db, job, document, failure, this.#deps.settings.current());
    failSpan(failure.reason);
    log.warn({ reason: failure.reason, detail: failure.message, outcome }, 'document processing failed');
    return outcome;
  }

  #pauseMs(): number {
    return Math.min(NO_ROOM_PAUSE_MS, this.#deps.settings.current().retryDelayMs);
  }

  async #release(job: ClaimedJob, place: ReleasePlace): Promise<JobOutcome> {
    await this.#deps.reading.db.transaction((tx) => releaseJob(tx, job, place));
    return 'released';
  }

  /** The database or the storage went away under the job: it is released as soon as it can be, so that this is no attempt. */
  async #releaseTo(job: ClaimedJob, cause: unknown, control: JobControl, log: Logger): Promise<JobOutcome> {
    for (let attempt = 1, error: unknown = cause; ; attempt += 1) {
      if (error instanceof LeaseLost) return 'lost';
      const isAway = isDatabaseUnavailable(error) || isStorageUnavailable(error) || error instanceof LeaseNotRenewed;
      if (!isAway || control.stop.aborted) {
        log.error({ err: error }, 'job abandoned until lease expiry');
        return 'lost';
      }
      log.warn({ err: error }, 'database or storage unavailable, job is released later');
      await sleep(backoffMs(attempt, { baseMs: isStorageUnavailable(error) ? 1_000 : 200, maxMs: 3_000 }), control.stop);
      try {
        return await this.#release(job, isNoRoom(cause) ? { afterMs: this.#pauseMs() } : control.place);
      } catch (again) {
        error = again;
      }
    }
  }
}

interface JobPlace {
  readonly place: Place;
  /** What else is running in this process. */
  readonly others: Iterable<RunningJob>;
  /** Called once, when it has pages to recognise. */
  readonly onRecognise: () => void;
}

/** A job running in this process. */
export class RunningJob {
  readonly job: ClaimedJob;
  /** The place that it takes. */
  readonly place: Place;
  readonly ended: Promise<void>;
  readonly #startedMs = performance.now();
  readonly #stop = new AbortController();
  readonly #control: {
    stop: AbortSignal;
    place: 'kept' | 'behind';
    failure?: JobFailure;
    sha256?: string;
    othersEnded: Promise<unknown>;
    onCheckLease: () => void;
    onRecognise: (pages: number) => void;
  };
  #pagesToRecognise = 0;

  constructor(job: ClaimedJob, runner: Pick<JobRunner, 'run'>, { place, others, onRecognise }: JobPlace) {
    this.job = job;
    this.place = place;
    const othersEnded = Promise.all([...others].map(({ ended }) => ended));
    this.#control = {
      stop: this.#stop.signal,
      place: 'kept',
      othersEnded,
      onCheckLease: () => {},
      onRecognise: (pages) => {
        if (this.#pagesToRecognise > 0) return;
        this.#pagesToRecognise = pages;
        onRecognise();
      },
    };
    this.ended = runner.run(job, this.#control);
  }

  get elapsedMs(): number {
    return performance.now() - this.#startedMs;
  }

  /** When it began with the first of them; 0 until then. */
  get pagesToRecognise(): number {
    return this.#pagesToRecognise;
  }

  /** It was asked to stop and is about to end. */
  get isLeaving(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Stops reading and gives the job back to the queue; pages that were read stay. */
  release(place: 'kept' | 'behind'): Promise<void> {
    this.#control.place = place;
    this.#stop.abort();
    return this.ended;
  }

  get documentId(): string {
    return this.job.documentId;
  }

  /** What stands in the paths of its files: its own scratch folders have the id, the stored file the hash. */
  get marks(): readonly string[] {
    const { sha256 } = this.#control;
    return sha256 === undefined ? [this.documentId] : [this.documentId, sha256];
  }

  /** Stops processing and fails the document for good. */
  fail(failure: JobFailure): void {
    this.#control.failure ??= failure;
    this.#stop.abort();
  }

  checkLease(): void {
    this.#control.onCheckLease();
  }
}

const RETRY_MS = 200;

/**
 * Returns when this process processes nothing but `job`, which is then recorded as started, or when `signal` is aborted. Throws
 * LeaseLost. Nothing else is claimed meanwhile, as the job is a suspect.
 */
const untilAlone = async (db: Db, job: ClaimedJob, othersEnded: Promise<unknown>, signal: AbortSignal): Promise<void> => {
  await Promise.race([othersEnded, untilAborted(signal)]);
  // what has just ended may still have its lease in the database for a moment
  while (!signal.aborted && !(await beginAlone(db, job))) await sleep(RETRY_MS, signal);
};

/** The lease has ended for all that is known here: the database has not answered since. Whether another worker has the job is open. */
export class LeaseNotRenewed extends Error {
  override readonly name = 'LeaseNotRenewed';
}

interface Lease extends AsyncDisposable {
  /** Aborted when the lease is lost, with LeaseLost, or could not be renewed in time, with LeaseNotRenewed. */
  readonly signal: AbortSignal;
  /** Renews now, so that a lease that was taken away is noticed now. */
  check(): void;
}

/**
 * Renews the lease of `job` three times in its length until it is disposed of. Losing it aborts `signal`: someone else
 * has the job then, or it was cancelled, and the fencing number refuses whatever is still written here. So does its end by the
 * clock of this process, after which another worker may begin with what is being processed here.
 */
export const holdLease = (db: Db, job: ClaimedJob, leaseMs: number, log: Logger): Lease => {
  const lost = new AbortController();
  let renewing = Promise.resolve();
  /** Renewals that have not ended; one that waits behind another is enough. */
  let open = 0;
  let endsAtMs = performance.now() + leaseMs;
  const renew = async (): Promise<void> => {
    const askedAtMs = performance.now();
    try {
      await renewLease(db, job, leaseMs);
      endsAtMs = askedAtMs + leaseMs;
    } catch (error) {
      if (error instanceof LeaseLost) lost.abort(error);
      else log.warn({ err: error }, 'lease renewal failed, retrying'); // the database is away; the lease may still be held
    } finally {
      open -= 1;
    }
  };
  const check = (): void => {
    if (open >= 2) return;
    open += 1;
    renewing = renewing.then(renew);
  };
  const renewal = setInterval(check, leaseMs / 3);
  const end = setInterval(() => {
    if (performance.now() < endsAtMs || lost.signal.aborted) return;
    log.warn('lease ended without an answer of the database, processing stops');
    lost.abort(new LeaseNotRenewed(`The lease of job ${job.id} could not be renewed`));
  }, leaseMs / 10);
  return {
    signal: lost.signal,
    check,
    [Symbol.asyncDispose]: async () => {
      clearInterval(renewal);
      clearInterval(end);
      await renewing;
    },
  };
};
