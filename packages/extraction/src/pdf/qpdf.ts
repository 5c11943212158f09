import { open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ExchangeFolder, runTool } from '@sheaf/sandbox';
import { z } from 'zod';
import { type ToolSize, toolLimits } from '../extraction.ts';
import { findProgram } from '../find-program.ts';
import type { Limit } from './poppler.ts';

/** Names of objects are those of the file, such as `12 0 R`. */
export interface PageObjects {
  readonly object: string;
  readonly contents: readonly string[];
  readonly pictures: readonly { readonly name: string; readonly object: string }[];
}

/** An object of the file: its dictionary, and for a stream where its bytes are now, as they stand in the file. */
export interface PdfObject {
  readonly dictionary: Readonly<Record<string, unknown>>;
  readonly streamPath: string | undefined;
}

const dictionary = z.record(z.string(), z.unknown());
const pageList = z.looseObject({
  pages: z.array(
    z.looseObject({
      object: z.string(),
      contents: z.array(z.string()),
      images: z.array(z.looseObject({ name: z.string(), object: z.string() })),
    }),
  ),
});
const objectList = z.looseObject({
  qpdf: z.tuple([
    z.unknown(),
    z.record(
      z.string(),
      z.looseObject({ value: z.unknown().optional(), stream: z.looseObject({ dict: dictionary, datafile: z.string() }).optional() }),
    ),
  ]),
});

/** Some ten thousand pages. */
const MAX_LIST_BYTES = 8 * 1024 * 1024;

/** qpdf for one PDF: what its objects are. It is only asked to find out what can be had cheaper, so whatever it fails at is undefined. */
export class Qpdf {
  readonly #program: string;
  readonly #exchange: ExchangeFolder;
  readonly #path: string;
  readonly #scratchPath: string;
  readonly #size: ToolSize;

  private constructor(program: string, exchange: ExchangeFolder, path: string, scratchPath: string, size: ToolSize) {
    this.#program = program;
    this.#exchange = exchange;
    this.#path = path;
    this.#scratchPath = scratchPath;
    this.#size = size;
  }

  /** For the PDF at `path`; undefined when qpdf is not installed. Files are made in `scratchPath`, one PDF each. */
  static async open(path: string, scratchPath: string, size: ToolSize): Promise<Qpdf | undefined> {
    const program = await findProgram('qpdf');
    if (program === undefined) return undefined;
    const exchange = await ExchangeFolder.open(join(scratchPath, 'qpdf'));
    return new Qpdf(program, exchange, await exchange.show(path, '.pdf'), scratchPath, size);
  }

  /** The pages in their order, with what they are made of. */
  async pages(limit: Limit): Promise<readonly PageObjects[] | undefined> {
    const list = await this.#json(['--json-key=pages'], pageList, limit);
    return list?.pages.map(({ object, contents, images }) => ({ object, contents, pictures: images }));
  }

  /** The objects of these names. A stream of more than `maxStreamBytes` ends it. */
  async objects(names: readonly string[], maxStreamBytes: number, limit: Limit): Promise<ReadonlyMap<string, PdfObject> | undefined> {
    const prefix = this.#exchange.outputPath();
    const wanted = names.map((name) => `--json-object=${name.replace(/ R$/, '').replace(' ', ',')}`);
    const streams = ['--json-stream-data=file', `--json-stream-prefix=${prefix}`, '--decode-level=none'];
    const size = { ...this.#size, toolFileBytes: Math.min(this.#size.toolFileBytes, maxStreamBytes) };
    try {
      const list = await this.#json(['--json-key=qpdf', ...wanted, ...streams], objectList, limit, size);
      if (list === undefined) return undefined;
      const objects = new Map<string, PdfObject>();
      for (const [key, { value, stream }] of Object.entries(list.qpdf[1])) {
        const name = key.replace(/^obj:/, '');
        if (stream !== undefined)
          objects.set(name, { dictionary: stream.dict, streamPath: await this.#takeStream(prefix, stream.datafile) });
        else if (dictionary.safeParse(value).success) objects.set(name, { dictionary: dictionary.parse(value), streamPath: undefined });
      }
      return objects;
    } finally {
      await this.#exchange.removeSiblings(prefix);
    }
  }

  async #takeStream(prefix: string, written: string): Promise<string | undefined> {
    const name = basename(written);
    if (!name.startsWith(basename(prefix))) return undefined;
    const path = join(this.#scratchPath, `${name}.stream`);
    return (await this.#exchange.take(join(this.#exchange.path, name), path)) ? path : undefined;
  }

  async #json<T>(args: readonly string[], schema: z.ZodType<T>, { timeoutMs, signal }: Limit, size = this.#size): Promise<T | undefined> {
    const run = await runTool({
      file: this.#program,
      args: ['--json=2', ...args, this.#path],
      cwd: this.#exchange.path,
      access: { readOnly: [this.#path] },
      limits: toolLimits(size, 64),
      timeoutMs,
      signal,
      maxOutputBytes: MAX_LIST_BYTES,
    });
    signal.throwIfAborted();
    if (run.kind !== 'done') return undefined;
    try {
      return schema.parse(JSON.parse(run.stdout.toString('utf8')));
    } catch {
      return undefined; // not what this version is known to write
    }
  }
}

/** The bytes of a stream; undefined where there are more than `maxBytes`, or none. */
export const readStream = async ({ streamPath }: PdfObject, maxBytes: number): Promise<Buffer | undefined> => {
  if (streamPath === undefined) return undefined;
  await using file = await open(streamPath);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes + 1), 0, maxBytes + 1, 0);
  return bytesRead > maxBytes ? undefined : buffer.subarray(0, bytesRead);
};
