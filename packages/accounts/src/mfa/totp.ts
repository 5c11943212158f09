import { randomBytes } from 'node:crypto';
import { Secret as OtpSecret, TOTP } from 'otpauth';

const SECRET_BYTES = 20;
const PERIOD_SECONDS = 30;
/** Clocks of phones differ: the code before and the one after count too. */
const WINDOW_STEPS = 1;

// What every authenticator app knows; some take nothing else.
const parameters = { algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS } as const;

const toOtpSecret = (secret: Uint8Array): OtpSecret => new OtpSecret({ buffer: new Uint8Array(secret).buffer });

export const makeTotpSecret = (): Uint8Array => randomBytes(SECRET_BYTES);

/** The secret as a person can type it, and the URL that a QR code carries. */
export const describeTotp = (secret: Uint8Array, issuer: string, username: string): { base32: string; url: string } => {
  const totp = new TOTP({ ...parameters, secret: toOtpSecret(secret), issuer, label: username });
  return { base32: totp.secret.base32, url: totp.toString() };
};

/** The time step that `code` belongs to, if it is one of those around `now`. Whether the step was used before is for the caller. */
export const findTotpStep = (secret: Uint8Array, code: string, now: Date): number | undefined => {
  if (!/^\d{6}$/.test(code)) return undefined;
  const totp = new TOTP({ ...parameters, secret: toOtpSecret(secret) });
  const delta = totp.validate({ token: code, timestamp: now.getTime(), window: WINDOW_STEPS });
  return delta === null ? undefined : Math.floor(now.getTime() / 1_000 / PERIOD_SECONDS) + delta;
};
