import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonedError } from '@sheaf/contract';
import { type ComponentHealth, foundProblems, problemOf } from '@sheaf/contract/operations';
import { type Component, uuidv7 } from '@sheaf/process';
import { makeFolder } from '@sheaf/process/machine';
import { toRoomError } from './errors.ts';

/** Below this nothing is begun: it is what a page takes while it is recognized. A small disk is used up to its last twentieth. */
const LEAST_BYTES = 16 * 1024 * 1024;
const LEAST_SHARE = 0.05;
/** What programs make of a file is seldom more. */
const MOST_EXTRA_BYTES = 256 * 1024 * 1024;
const PROBE = Buffer.alloc(64 * 1024);
/** For so long after work was given up for want of room the health says so, although there is room for other work meanwhile. */
const REPORTED_MS = 60_000;
/** Before each of many small documents the system is not asked again: what fails meanwhile says so itself. */
const KNOWN_MS = 500;

/**
 * The folder of temporary files, in which documents are processed. Where nothing can be written there nothing is wrong with a document:
 * what failed is told as SERVICE_UNAVAILABLE, and the health of this component says why documents wait.
 */
export class WorkingSpace implements Component {
  readonly name = 'temporary_files';
  readonly path: string;
  #problem: unknown;
  #problemMs = 0;
  #isShort = false;
  #hadRoomMs = Number.NEGATIVE_INFINITY;

  constructor(path: string) {
    this.path = path;
  }

  async start(): Promise<void> {
    await this.hasRoom();
  }

  async stop(): Promise<void> {}

  /** Whether work may begin. Never throws. */
  async hasRoom(): Promise<boolean> {
    if (performance.now() - this.#hadRoomMs < KNOWN_MS) return true;
    try {
      await makeFolder(this.path);
      await this.#measure(0);
      this.#isShort = false;
      this.#hadRoomMs = performance.now();
    } catch (error) {
      this.#note(toRoomError(error, this.path));
      this.#isShort = true;
    }
    return !this.#isShort;
  }

  /** Does `work`; throws SERVICE_UNAVAILABLE with the reason where it failed because nothing could be written. */
  async guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const met = toRoomError(error, this.path);
      if (met !== error) this.#note(met);
      throw met;
    }
  }

  /**
   * For work on a file of `sizeBytes` that has failed, without an error of the system: programs do not say that they found no room, and
   * have often removed what they wrote. Throws SERVICE_UNAVAILABLE where it may have been that.
   */
  async checkAfterFailure(sizeBytes: number): Promise<void> {
    const probe = join(this.path, uuidv7());
    await this.guard(async () => {
      try {
        await this.#measure(Math.min(2 * sizeBytes, MOST_EXTRA_BYTES));
        await writeFile(probe, PROBE);
      } finally {
        await rm(probe, { force: true });
      }
    });
  }

  health(): ComponentHealth {
    const isReported = this.#isShort || performance.now() - this.#problemMs < REPORTED_MS;
    return this.#problem === undefined || !isReported
      ? { status: 'healthy' }
      : foundProblems('unhealthy', [problemOf(this.#problem, 'storage_failing')]);
  }

  async #measure(extraBytes: number): Promise<void> {
    const { bavail, blocks, bsize, files, ffree } = await statfs(this.path);
    const least = Math.min(LEAST_BYTES, blocks * bsize * LEAST_SHARE) + extraBytes;
    if (bavail * bsize < least || (files > 0 && ffree === 0)) {
      const error = reasonedError('SERVICE_UNAVAILABLE', 'storage_full', { storage: this.path });
      this.#note(error);
      throw error;
    }
  }

  #note(problem: unknown): void {
    this.#hadRoomMs = Number.NEGATIVE_INFINITY;
    this.#problem = problem;
    this.#problemMs = performance.now();
  }
}
