import { X509Certificate } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { lateYaml } from './yaml-text.ts';

/** At most `maxBytes` of an open file. */
const readBytes = (file: number, maxBytes: number): Buffer => {
  const buffer = Buffer.alloc(maxBytes);
  let length = 0;
  for (;;) {
    const count = readSync(file, buffer, length, buffer.length - length, null);
    length += count;
    if (count === 0 || length === buffer.length) return buffer.subarray(0, length);
  }
};

/**
 * The bytes of a file that a person named; of a larger one its start, with one byte more than `maxBytes`. Throws for all that is no
 * regular file: each process reads it anew, and a pipe that nobody writes to would be waited for without a word.
 */
export const readRegularFile = (path: string, maxBytes: number): Buffer => {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(file).isFile()) throw new Error(`${path} is not a regular file`);
    return readBytes(file, maxBytes + 1);
  } finally {
    closeSync(file);
  }
};

/** The code by which the parser of YAML says that it ran out of stack. */
export const TOO_DEEP = 'RESOURCE_EXHAUSTION';
export const NESTED_TOO_DEEPLY = 'has too many nested levels';

const isTooDeep = (error: unknown): boolean => error instanceof lateYaml().YAMLParseError && error.code === TOO_DEEP;

/** Why a file could not be read, or what is in it. */
export const readingFailure = (error: unknown): string => {
  if (error instanceof RangeError || isTooDeep(error)) return `it ${NESTED_TOO_DEEPLY}`;
  return error instanceof Error ? error.message : String(error);
};

/** Certificates of all authorities of a system together have a quarter of it. */
const MAX_BYTES = 1024 * 1024;

export const readPem = (path: string): Buffer => readRegularFile(path, MAX_BYTES);

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What is wrong with the file, by `parse` or because it cannot be read. */
export const wrongFile = (path: string | undefined, parse: (pem: Buffer) => unknown): string | undefined => {
  if (path === undefined) return undefined;
  let pem: Buffer;
  try {
    pem = readPem(path);
  } catch (error) {
    return `names a file that cannot be read: ${reasonOf(error)}`;
  }
  try {
    parse(pem);
    return undefined;
  } catch (error) {
    return `names a file that is not valid PEM without a passphrase: ${path}: ${reasonOf(error)}`;
  }
};

export const parseCertificate = (pem: Buffer): X509Certificate => new X509Certificate(pem);
