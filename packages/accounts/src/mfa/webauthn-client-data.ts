import { z } from 'zod';
import type { WebauthnSettings } from './settings.ts';

const clientData = z.looseObject({ challenge: z.string().min(1), origin: z.string().min(1), crossOrigin: z.boolean().optional() });

/** What the browser says about the page that used the passkey, and for what. */
export type ClientData = z.infer<typeof clientData>;

/** Undefined when it is not what browsers send. It proves nothing yet: the signature over it does. */
export const readClientData = (base64url: string): ClientData | undefined => {
  try {
    return clientData.safeParse(JSON.parse(Buffer.from(base64url, 'base64url').toString('utf8'))).data;
  } catch {
    return undefined; // no JSON
  }
};

/**
 * Whether a page of `origin` may use the passkeys of this service. From the settings alone: what a request says of its own host
 * is written by whoever sends it.
 */
export const isAllowedOrigin = (origin: string, { rpId, origins }: Pick<WebauthnSettings, 'rpId' | 'origins'>): boolean => {
  if (origins.length > 0) return origins.includes(origin);
  if (origin === `https://${rpId}`) return true;
  return rpId === 'localhost' && /^http:\/\/localhost(:\d{1,5})?$/.test(origin);
};

// Choice: a passkey used inside a frame of another site is refused, as its person does not see what he agrees to.
export const isFromOurPage = (said: ClientData, settings: Pick<WebauthnSettings, 'rpId' | 'origins'>): boolean =>
  isAllowedOrigin(said.origin, settings) && said.crossOrigin !== true;
