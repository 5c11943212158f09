import { MFA_METHODS } from '@sheaf/vocabulary/mfa';
import { KEY_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import { z } from 'zod';
import { pageQuery, sortQuery } from '../page.ts';

export const keyListQuery = pageQuery.extend(sortQuery(KEY_SORT_FIELDS, { sort: 'created_at', order: 'desc' }));

export const createKeyRequest = z
  .strictObject({
    name: z.string().trim().min(1).max(100),
    scope: z
      .array(z.string().max(100))
      .min(1)
      .max(100)
      .describe(
        'Permissions such as `documents.read`, limited to those of the owner. `*` excludes `documents.share`, `users.create` and `users.update`, which must be listed explicitly',
      ),
    expires_in_days: z.int().min(1).max(3_650).optional().describe('At most API_KEY_EXPIRY_DAYS, the default'),
  })
  .meta({ id: 'CreateApiKeyRequest' });

const keyFields = {
  id: z.uuid(),
  name: z.string(),
  scope: z.array(z.string()),
  prefix: z.string().describe('Prefix of the key'),
  expires_at: z.iso.datetime(),
  created_at: z.iso.datetime(),
};

/** `key` is shown this once. */
export const createdKeyBody = z.strictObject({ ...keyFields, key: z.string() }).meta({ id: 'CreatedApiKey' });

export const keyBody = z
  .strictObject({
    ...keyFields,
    owner: z.string().describe('User name'),
    last_used_at: z.iso.datetime().nullable().describe('Accurate to the minute'),
  })
  .meta({ id: 'ApiKey' });
export type KeyBody = z.infer<typeof keyBody>;

/** Binary data as browsers send it: base64url, and no longer than any real one. */
const base64url = (maxCharacters: number) =>
  z
    .string()
    .min(1)
    .max(maxCharacters)
    .regex(/^[\w-]+=*$/, 'must be base64url');

/** What `PublicKeyCredential.toJSON()` gives, with these fields in its response beside the data of the browser. */
const credential = <R extends z.ZodRawShape>(response: R) =>
  z.object({
    id: base64url(1_400),
    rawId: base64url(1_400),
    type: z.literal('public-key'),
    // what browsers add beside, such as the kind of authenticator, is taken and not heeded
    authenticatorAttachment: z.string().max(50).nullish(),
    clientExtensionResults: z.record(z.string(), z.unknown()).optional(),
    response: z.object({ clientDataJSON: base64url(4_000), ...response }),
  });

/** After `navigator.credentials.create()`. */
export const webauthnRegistration = credential({
  attestationObject: base64url(64_000),
  transports: z.array(z.string().max(50)).max(10).optional(),
}).meta({ id: 'WebauthnRegistration' });
export type WebauthnRegistration = z.infer<typeof webauthnRegistration>;

/** After `navigator.credentials.get()`. */
export const webauthnAssertion = credential({
  authenticatorData: base64url(4_000),
  signature: base64url(8_000),
  userHandle: base64url(200).nullish(),
}).meta({ id: 'WebauthnAssertion' });
export type WebauthnAssertion = z.infer<typeof webauthnAssertion>;

/** A code of an authenticator app or a recovery code; spaces and dashes do not count. */
export const mfaCode = z.string().min(6).max(40);
const token = z.string().min(1).max(500);

export const mfaProof = z.union([z.strictObject({ code: mfaCode }), z.strictObject({ credential: webauthnAssertion })]);
export type MfaProof = z.infer<typeof mfaProof>;

export const mfaVerifyRequest = z
  .union([z.strictObject({ mfa_token: token, code: mfaCode }), z.strictObject({ mfa_token: token, credential: webauthnAssertion })])
  .meta({ id: 'MfaVerifyRequest' });

/** Proves once more that it is the person themselves: their password or one of their factors. */
export const reauthentication = z
  .union([z.strictObject({ password: z.string().min(1).max(1_024) }), ...mfaProof.options])
  .meta({ id: 'Reauthentication' });
export type Reauthentication = z.infer<typeof reauthentication>;

/** The same beside the fields of a change that is asked a proof for. One of them is enough. */
export const proofFields = {
  password: z.string().min(1).max(1_024).optional().describe('Current password, for re-authentication'),
  code: mfaCode.optional().describe('Instead of the password: a code of the authenticator app, or a recovery code'),
  credential: webauthnAssertion.optional().describe('Instead of the password: a passkey assertion'),
};

interface ProofFields {
  readonly password?: string | undefined;
  readonly code?: string | undefined;
  readonly credential?: WebauthnAssertion | undefined;
}

/** The proof among the fields of a request; undefined where there is none. */
export const proofIn = ({ password, code, credential }: ProofFields): Reauthentication | undefined => {
  if (password !== undefined) return { password };
  if (code !== undefined) return { code };
  return credential && { credential };
};

const deviceName = z.string().trim().min(1).max(100);
export const totpSetupRequest = z.strictObject({ name: deviceName.optional(), ...proofFields });
export const totpEnableRequest = z.strictObject({ code: z.string().min(6).max(10) });
export const webauthnRegisterOptionsRequest = z.strictObject(proofFields);
export const webauthnRegisterRequest = z.strictObject({ credential: webauthnRegistration, name: deviceName.optional() });
export const webauthnLoginOptionsRequest = z.strictObject({ mfa_token: token.optional() });

export const mfaDeviceBody = z
  .strictObject({
    id: z.uuid(),
    type: z.enum(MFA_METHODS),
    name: z.string(),
    enabled: z.boolean().describe('false: setup is not confirmed with a code yet'),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'MfaDevice' });
export type MfaDeviceBody = z.infer<typeof mfaDeviceBody>;

export const mfaBody = z
  .strictObject({
    enabled: z.boolean().describe('Whether sign-in requires a second factor'),
    methods: z.array(z.enum(MFA_METHODS)).describe('Methods that can be set up'),
    devices: z.array(mfaDeviceBody),
    recovery_codes_left: z.number().int(),
  })
  .meta({ id: 'Mfa' });
export type MfaBody = z.infer<typeof mfaBody>;

export const totpSetupBody = z.strictObject({ id: z.uuid(), secret: z.string(), otpauth_url: z.string() }).meta({ id: 'TotpSetup' });
export type TotpSetupBody = z.infer<typeof totpSetupBody>;

const recoveryCodes = z.array(z.string());

export const totpEnableBody = z
  .strictObject({
    enabled: z.literal(true),
    recovery_codes: recoveryCodes.describe('Returned once; empty if earlier codes are still valid'),
  })
  .meta({ id: 'TotpEnable' });
export const webauthnRegisterBody = z
  .strictObject({ device: mfaDeviceBody, recovery_codes: recoveryCodes.describe('Returned once; empty if earlier codes are still valid') })
  .meta({ id: 'WebauthnRegister' });
export const recoveryCodesBody = z.strictObject({ recovery_codes: recoveryCodes }).meta({ id: 'RecoveryCodes' });

/** For `PublicKeyCredential.parseCreationOptionsFromJSON()` and `parseRequestOptionsFromJSON()`. */
export const webauthnOptionsBody = z.looseObject({ challenge: z.string() }).meta({ id: 'WebauthnOptions' });
