import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { makeProblem } from '@sheaf/contract/operations';
import { FatalError } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import type { SamlSettings } from './settings.ts';

/** The key of this service and its certificate, as PEM. */
export interface OwnKey {
  readonly privateKey: string;
  readonly certificate: string;
}

const read = (variable: string, path: string, check: (pem: string) => void): string => {
  try {
    const pem = readFileSync(path, 'utf8');
    check(pem);
    return pem.trim();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown';
    throw new FatalError(makeProblem('saml_key_invalid', { variable, error: reason }), EXIT.configuration, cause);
  }
};

/** Undefined where the settings name none. Ends the process where they name one that cannot be used. */
export const readOwnKey = ({ certificateFile, privateKeyFile }: SamlSettings): OwnKey | undefined => {
  if (certificateFile === undefined || privateKeyFile === undefined) return undefined;
  const privateKey = read('SAML2_SP_PRIVATE_KEY', privateKeyFile, (pem) => void createPrivateKey(pem));
  const certificate = read('SAML2_SP_X509_CERT', certificateFile, (pem) => {
    if (!new X509Certificate(pem).checkPrivateKey(createPrivateKey(privateKey))) throw new Error('it does not match SAML2_SP_PRIVATE_KEY');
  });
  return { privateKey, certificate };
};
