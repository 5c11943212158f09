import { X509Certificate } from 'node:crypto';
import { readRegularFile } from './regular-file.ts';

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
