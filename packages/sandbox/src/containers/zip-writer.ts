import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { crc32, createDeflateRaw } from 'node:zlib';

import type { ZipEntry } from './zip-archive.ts';

const STORED = 0;
const DEFLATED = 8;
const VERSION = 20;
const UTF8_FLAG = 0x0800;
const LOCAL_BYTES = 30;

/** The fields that stand in both headers of an entry. */
interface ZipEntryFacts {
  readonly name: Buffer;
  readonly flags: number;
  readonly method: number;
  readonly crc32: number;
  readonly packedBytes: number;
  readonly unpackedBytes: number;
}

/** Writes a ZIP archive, entry by entry. Without the extensions for archives of 4 GB and more, which no document needs. */
export class ZipWriter {
  readonly #file: FileHandle;
  readonly #directory: Buffer[] = [];
  #position = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async create(path: string): Promise<ZipWriter> {
    return new ZipWriter(await open(path, 'wx'));
  }

  /** Adds an entry in the form in which another archive has it. */
  async addPacked(entry: ZipEntry, packed: AsyncIterable<Buffer>): Promise<void> {
    const start = this.#position;
    const facts: ZipEntryFacts = {
      name: entry.nameBytes,
      flags: entry.flags,
      method: entry.method,
      crc32: entry.crc32,
      packedBytes: entry.packedBytes,
      unpackedBytes: entry.unpackedBytes,
    };
    await this.#append(localHeader(facts));
    for await (const block of packed) await this.#append(block);
    this.#directory.push(directoryEntry(facts, start));
  }

  /** Adds an entry and packs it. */
  async addContent(name: Buffer, flags: number, content: AsyncIterable<Buffer>): Promise<void> {
    const start = this.#position;
    this.#position += LOCAL_BYTES + name.length; // its sizes are known at the end
    const sums = { crc32: 0, unpackedBytes: 0 };
    const packing = createDeflateRaw({ level: 1 });
    const dataStart = this.#position;
    await pipeline(summed(content, sums), packing, async (packed: AsyncIterable<Buffer>) => {
      for await (const block of packed) await this.#append(block);
    });
    const facts = { name, flags, method: DEFLATED, ...sums, packedBytes: this.#position - dataStart };
    const header = localHeader(facts);
    await this.#file.write(header, 0, header.length, start);
    this.#directory.push(directoryEntry(facts, start));
  }

  /** Adds an entry with nothing in it. */
  async addEmpty(name: Buffer, flags: number): Promise<void> {
    const facts = { name, flags, method: STORED, crc32: 0, packedBytes: 0, unpackedBytes: 0 };
    this.#directory.push(directoryEntry(facts, this.#position));
    await this.#append(localHeader(facts));
  }

  /** Writes the directory. */
  async finish(): Promise<void> {
    const start = this.#position;
    for (const entry of this.#directory) await this.#append(entry);
    const end = Buffer.alloc(22);
    end.writeUInt32LE(0x06054b50, 0);
    end.writeUInt16LE(this.#directory.length, 8);
    end.writeUInt16LE(this.#directory.length, 10);
    end.writeUInt32LE(this.#position - start, 12);
    end.writeUInt32LE(start, 16);
    await this.#append(end);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #append(bytes: Buffer): Promise<void> {
    await this.#file.write(bytes, 0, bytes.length, this.#position);
    this.#position += bytes.length;
  }
}

async function* summed(content: AsyncIterable<Buffer>, sums: { crc32: number; unpackedBytes: number }): AsyncGenerator<Buffer> {
  for await (const chunk of content) {
    sums.crc32 = crc32(chunk, sums.crc32);
    sums.unpackedBytes += chunk.length;
    yield chunk;
  }
}

/** Version, flags, compression, time (none), checksum, sizes, length of the name. */
const commonFields = ({ name, flags, method, crc32: sum, packedBytes, unpackedBytes }: ZipEntryFacts): Buffer => {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(VERSION, 0);
  fields.writeUInt16LE(flags & UTF8_FLAG, 2);
  fields.writeUInt16LE(method, 4);
  fields.writeUInt16LE(0x21, 8); // the first day of 1980; there is no day 0
  fields.writeUInt32LE(sum, 10);
  fields.writeUInt32LE(packedBytes, 14);
  fields.writeUInt32LE(unpackedBytes, 18);
  fields.writeUInt16LE(name.length, 22);
  return fields;
};

const localHeader = (facts: ZipEntryFacts): Buffer => Buffer.concat([Buffer.from('PK\u0003\u0004'), commonFields(facts), facts.name]);

const directoryEntry = (facts: ZipEntryFacts, start: number): Buffer => {
  const place = Buffer.alloc(14);
  place.writeUInt32LE(start, 10);
  return Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000'), commonFields(facts), place, facts.name]);
};
