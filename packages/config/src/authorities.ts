import { X509Certificate } from 'node:crypto';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { readPem } from './pem-file.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z\d+/=\s]+-----END CERTIFICATE-----/g;

/** The certificates of a PEM file. Throws where there is none, or one cannot be read. */
export const parseAuthorities = (pem: Buffer): string[] => {
  const certificates = pem.toString('latin1').match(CERTIFICATE) ?? [];
  if (certificates.length === 0) throw new Error('it contains no certificate');
  return certificates.map((certificate) => new X509Certificate(certificate).toString());
};

/** Those that Node trusts by itself, NODE_EXTRA_CA_CERTS among them. */
let usual: readonly string[] | undefined;

/**
 * Lets this process trust the authorities of a checked file besides the usual ones, for every TLS connection that it makes and that
 * names none of its own: of the guarded client, of storages, directories, mail and key-value stores.
 */
export const trustAuthorities = (path: string): void => {
  usual ??= getCACertificates('default');
  setDefaultCACertificates([...usual, ...parseAuthorities(readPem(path))]);
};
