import type { Answer, Arguments } from '../interface/call.ts';

type Options = Answer<'post /api/auth/mfa/webauthn/login/options'>;
type Proof = Extract<Arguments<'post /api/auth/mfa/verify'>['body'], { readonly credential: unknown }>['credential'];
type Registration = Arguments<'post /api/auth/mfa/webauthn/register/verify'>['body']['credential'];

/** Whether this browser knows passkeys, on an address where it allows them. */
export const knowsPasskeys = (): boolean =>
  typeof PublicKeyCredential !== 'undefined' && typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function';

/** Asks the person for a passkey they have. Throws where they decline. */
export const askForPasskey = async (options: Options): Promise<Proof> => {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = await navigator.credentials.get({ publicKey });
  return (credential as PublicKeyCredential).toJSON() as Proof;
};

/** Has the person's device make a new passkey. Throws where they decline. */
export const makePasskey = async (options: Options): Promise<Registration> => {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as unknown as PublicKeyCredentialCreationOptionsJSON);
  const credential = await navigator.credentials.create({ publicKey });
  return (credential as PublicKeyCredential).toJSON() as unknown as Registration;
};
