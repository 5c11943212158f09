import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { makeZip } from 'client-zip';
import { ChecksumMeter, type ExportTarget, type FileChecksums, type FileSource, MANIFEST, type OwnFile, TargetError } from './target.ts';

interface ZipEntry {
  readonly name: string;
  readonly input: AsyncIterable<Uint8Array> | string;
  readonly lastModified?: Date;
}

/** Hands entries to whoever writes the archive, one at a time. */
class EntryChannel {
  #offered = Promise.withResolvers<ZipEntry | undefined>();
  #taken = Promise.withResolvers<void>();

  /** Resolves when the entry is written. */
  async put(entry: ZipEntry): Promise<void> {
    this.#offered.resolve(entry);
    await this.#taken.promise;
  }

  end(): void {
    this.#offered.resolve(undefined);
  }

  async *entries(): AsyncGenerator<ZipEntry> {
    for (;;) {
      const entry = await this.#offered.promise;
      if (entry === undefined) return;
      yield entry;
      const { resolve } = this.#taken;
      this.#offered = Promise.withResolvers();
      this.#taken = Promise.withResolvers();
      resolve();
    }
  }
}

/** An export in a ZIP archive, which has its name when it is whole. Files are not compressed, as nearly all are already. */
export class ZipTarget implements ExportTarget {
  readonly path: string;
  readonly #scratch: string;
  readonly #manifest: FileHandle;
  readonly #channel = new EntryChannel();
  readonly #writing: Promise<void>;

  private constructor(path: string, scratch: string, manifest: FileHandle) {
    this.path = path;
    this.#scratch = scratch;
    this.#manifest = manifest;
    const archive = makeZip(this.#channel.entries()) as ReadableStream<Uint8Array>;
    this.#writing = pipeline(Readable.fromWeb(archive), createWriteStream(this.#partial, { flags: 'wx', flush: true }));
    this.#writing.catch(() => undefined); // whoever puts an entry is told
  }

  /** Throws TargetError where the file is there already. */
  static async open(path: string): Promise<ZipTarget> {
    if (await stat(path).catch(() => undefined)) throw new TargetError('target_exists', path);
    const scratch = await mkdtemp(join(dirname(path), `.${basename(path).slice(0, 100)}-`));
    try {
      return new ZipTarget(path, scratch, await open(join(scratch, MANIFEST), 'wx'));
    } catch (error) {
      await rm(scratch, { recursive: true, force: true });
      throw error;
    }
  }

  /** The file is copied first: an entry that has begun cannot be taken back. */
  async write(name: string, source: FileSource): Promise<{ readonly checksums: FileChecksums; readonly isNew: boolean }> {
    const copy = join(this.#scratch, 'file');
    const meter = new ChecksumMeter();
    await pipeline(await source.open(), (bytes: AsyncIterable<Buffer>) => meter.through(bytes), createWriteStream(copy));
    const checksums = meter.endAs(source);
    await this.#put({ name, input: createReadStream(copy), lastModified: source.modifiedAt });
    return { checksums, isNew: true };
  }

  async appendManifest(text: string): Promise<void> {
    await this.#manifest.appendFile(text);
  }

  async finish(files: readonly OwnFile[]): Promise<{ readonly removed: number }> {
    for (const { name, content } of files) await this.#put({ name, input: content });
    await this.#put({ name: MANIFEST, input: createReadStream(join(this.#scratch, MANIFEST)) });
    this.#channel.end();
    await this.#writing;
    await rename(this.#partial, this.path);
    await using folder = await open(dirname(this.path), 'r');
    await folder.sync();
    return { removed: 0 };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#channel.end();
    await this.#writing.catch(() => undefined);
    await this.#manifest.close();
    await rm(this.#scratch, { recursive: true, force: true });
  }

  get #partial(): string {
    return join(this.#scratch, 'archive.partial');
  }

  /** Fails with what went wrong with the archive. */
  async #put(entry: ZipEntry): Promise<void> {
    await Promise.race([this.#channel.put(entry), this.#writing]);
  }
}
