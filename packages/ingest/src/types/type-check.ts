import { type Component, constant, type Logger, ThreadPool } from '@sheaf/process';
import { type ByteSource, openByteSource } from '@sheaf/sandbox/containers';
import type { FileKind } from '@sheaf/vocabulary/file-kinds';
import { fileTypeFromBuffer } from 'file-type';
import { compareKinds, findSignature, hasPdfHeader, type KindMatch, mismatch } from './signatures.ts';
import type { ContainerToMatch, UnreadFile } from './type-check-task.ts';

export interface TypeCheckSettings {
  /** Files whose contents are looked into at the same time. */
  readonly threads: number;
  readonly timeoutMs?: number;
}

const MIB = 1024 * 1024;
/** Every reader is linear in its input and its input is bounded, so these are for the mistakes that were not found. */
const TIMEOUT_MS = 20_000;
const MEMORY_BYTES = 256 * MIB;
const IDLE_MS = 30_000;

/**
 * Compares files with what their names declare. Archives and compound files, which take more than a look at their first bytes,
 * are read in threads: whatever one of them does to its reader, this process answers everybody else meanwhile.
 */
export class TypeCheck implements Component {
  readonly name = 'type-check';
  readonly #timeoutMs: number;
  readonly #log: Logger;
  readonly #pool: ThreadPool<ContainerToMatch, KindMatch | UnreadFile>;

  constructor({ threads, timeoutMs = TIMEOUT_MS }: TypeCheckSettings, log: Logger) {
    this.#timeoutMs = timeoutMs;
    this.#log = log;
    const file = new URL('./type-check-task.ts', import.meta.url);
    this.#pool = new ThreadPool({ file, threads: constant(threads), memoryBytes: MEMORY_BYTES, idleMs: IDLE_MS });
  }

  async start(): Promise<void> {} // threads come with the first file that needs one

  stop(): Promise<void> {
    return this.#pool.close();
  }

  /** `content` is the bytes, or the path of a file. Throws when the file cannot be read. */
  match(content: Buffer | string, declared: FileKind, signal?: AbortSignal): Promise<KindMatch> {
    return matchKind(content, declared, (container) => this.#lookInto(container, signal));
  }

  async #lookInto(container: ContainerToMatch, signal: AbortSignal | undefined): Promise<KindMatch> {
    const outcome = await this.#pool.run({ input: container, timeoutMs: this.#timeoutMs, signal });
    if (!outcome.ok) {
      const { reason, error } = outcome;
      this.#log.warn({ reason, err: error, declared_type: container.declared.extensions[0] }, 'type check of a file failed');
      return { isMatch: false, unknown: true };
    }
    if ('unread' in outcome.value) throw new Error(outcome.value.unread);
    return outcome.value;
  }
}

const HEAD_BYTES = 4_100;

/**
 * Compares bytes, or the file at a path, with the kind its name declares. Reads a few places, never the whole file: its first
 * bytes, and samples of what may be text. Containers and XML are left to `lookInto`.
 */
export const matchKind = async (
  content: Buffer | string,
  declared: FileKind,
  lookInto: (container: ContainerToMatch) => Promise<KindMatch>,
): Promise<KindMatch> => {
  await using source = await openByteSource(content);
  const head = await source.read(0, HEAD_BYTES);
  const signature = findSignature(head);
  // awaited here, or the file would be closed too early
  if (signature === undefined && declared.family === 'einvoice')
    return (await looksLikeText(source)) ? await lookInto({ content, container: 'xml', declared }) : mismatch(await describe(head));
  if (signature === undefined) return await matchUnsigned(source, head, declared);
  if (signature !== 'zip' && signature !== 'ole') return compareKinds([signature], declared, undefined);
  return await lookInto({ content, container: signature, declared });
};

const matchUnsigned = async (source: ByteSource, head: Buffer, declared: FileKind): Promise<KindMatch> => {
  if (declared.family === 'text') return (await looksLikeText(source)) ? { isMatch: true } : mismatch(await describe(head));
  const found = await describe(head);
  // Printers and gateways put a few lines in front of a PDF, and every reader copes; a program or a picture there is another matter.
  if (declared.family === 'pdf' && found === undefined && hasPdfHeader(head)) return { isMatch: true };
  return mismatch(found ?? ((await looksLikeText(source)) ? 'plain text' : undefined));
};

/** What a foreign file is, in words. Its first bytes are all that is looked at. */
const describe = async (head: Uint8Array): Promise<string | undefined> => {
  const type = await fileTypeFromBuffer(head).catch(() => undefined); // a hostile header is of no known type
  return type && `of the type ${type.mime}`;
};

const SAMPLE_BYTES = 64 * 1024;
/** Shares of characters that text does not exceed: bytes at random have 10 % control characters, machine code more. */
const MAX_CONTROLS = { unicode: 0.1, singleByte: 0.005 } as const;
/** Programs separate records by NUL; a third of one is no text any more. */
const MAX_NULS = 0.3;
const MAX_UNASSIGNED = 0.05;

type Utf16 = 'utf-16le' | 'utf-16be';

/** Whether beginning, middle and end of the file are text, in whatever encoding. */
export const looksLikeText = async (source: ByteSource): Promise<boolean> => {
  const head = await source.read(0, SAMPLE_BYTES);
  const utf16 = utf16Of(head);
  for (const offset of sampleOffsets(source.sizeBytes)) {
    const sample = offset === 0 ? head : await source.read(offset, SAMPLE_BYTES);
    const isText = utf16 === undefined ? isUtf8Text(sample, offset) || isSingleByteText(sample) : isUtf16Text(sample, utf16);
    if (!isText) return false;
  }
  return true;
};

/** Even, so that UTF-16 is not cut in the middle of a character. */
const sampleOffsets = (sizeBytes: number): number[] => {
  if (sizeBytes <= SAMPLE_BYTES) return [0];
  const last = sizeBytes - SAMPLE_BYTES;
  return [0, Math.floor(last / 4) * 2, last - (last % 2)];
};

/** By byte order mark, else by the upper halves: one small number in every second place. */
const utf16Of = (head: Buffer): Utf16 | undefined => {
  const mark = head.subarray(0, 2).toString('hex');
  if (mark === 'fffe') return 'utf-16le';
  if (mark === 'feff') return 'utf-16be';
  const smallAt = (parity: number): number => {
    let small = 0;
    for (let i = parity; i < head.length; i += 2) if ((head[i] ?? 0xff) < 0x09) small += 1;
    return small / Math.max(1, head.length / 2);
  };
  const [even, odd] = [smallAt(0), smallAt(1)];
  // Scripts with many thousand characters have a zero only at spaces and line ends, but are nothing else either.
  const enough = isUtf8Text(head, 0) ? 0.4 : 0.02;
  if (odd > enough && odd > even * 8) return 'utf-16le';
  return even > enough && even > odd * 8 ? 'utf-16be' : undefined;
};

/** Text may hold tab, line ends, form feed, escape (terminal logs, ISO 2022) and backspace (overstruck manuals). */
const isControl = (code: number): boolean => code < 0x20 && !(code >= 0x08 && code <= 0x0d) && code !== 0x1b;

const isUtf8Text = (sample: Buffer, offset: number): boolean => {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(offset === 0 ? sample : skipCutCharacter(sample), { stream: true });
  } catch {
    return false;
  }
  let [nuls, controls] = [0, 0];
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === 0) nuls += 1;
    else if (isControl(code)) controls += 1;
  }
  return nuls <= text.length * MAX_NULS && controls <= text.length * MAX_CONTROLS.unicode;
};

/** A sample from the middle may begin with up to three continuation bytes. */
const skipCutCharacter = (sample: Buffer): Buffer => {
  let start = 0;
  while (start < 3 && ((sample[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return sample.subarray(start);
};

const isSingleByteText = (sample: Buffer): boolean => {
  let controls = 0;
  for (const byte of sample) if (isControl(byte)) controls += 1;
  return controls <= sample.length * MAX_CONTROLS.singleByte;
};

const isUtf16Text = (sample: Buffer, encoding: Utf16): boolean => {
  const text = new TextDecoder(encoding).decode(sample, { stream: true });
  let controls = 0;
  for (let i = 0; i < text.length; i += 1) if (isControl(text.charCodeAt(i))) controls += 1;
  // Lone halves of pairs, private characters and numbers that are no character at all: a fifth of what is random.
  const strange = text.match(/[\p{Cn}\p{Co}\p{Cs}\uFFFD]/gu)?.length ?? 0;
  return controls <= text.length * MAX_CONTROLS.unicode && strange <= text.length * MAX_UNASSIGNED;
};
