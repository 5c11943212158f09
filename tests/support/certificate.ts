import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface KeyPair {
  /** PEM. */
  readonly key: string;
  readonly certificate: string;
}

/** A key and a certificate that it signed itself. */
export const makeKeyPair = async (name: string): Promise<KeyPair> => {
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${name}`, '-keyout', '-', '-out', '-'];
  const { stdout } = await promisify(execFile)('openssl', args);
  const key = /-----BEGIN PRIVATE KEY-----[^]+-----END PRIVATE KEY-----/.exec(stdout)?.[0];
  const certificate = /-----BEGIN CERTIFICATE-----[^]+-----END CERTIFICATE-----/.exec(stdout)?.[0];
  if (key === undefined || certificate === undefined) throw new Error('openssl made no key pair');
  return { key, certificate };
};
