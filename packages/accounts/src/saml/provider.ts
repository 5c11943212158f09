import { readFile, stat } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { GuardedFetch } from '@sheaf/outbound';
import type { Clock, Logger } from '@sheaf/process';
import { CachedValue } from '../cached-value.ts';
import { providerAway } from '../sign-in-errors.ts';
import { type IdentityProvider, parseMetadata } from './metadata.ts';

export interface SamlProviderDeps {
  readonly settings: { readonly metadata: string };
  readonly fetch: GuardedFetch;
  readonly clock: Clock;
  readonly log: Logger;
}

const FRESH_MS = 24 * 60 * 60_000;
/** Anybody can send an answer that is not signed well, so that is no reason to ask more often than this. */
const LEAST_AGE_MS = 60_000;
const MAX_BYTES = 2 * 1024 * 1024;

const readMetadata = async (source: string, fetch: GuardedFetch): Promise<string> => {
  if (!/^https?:\/\//i.test(source)) {
    const { size } = await stat(source);
    if (size > MAX_BYTES) throw new Error(`the file is larger than ${MAX_BYTES} bytes`);
    return readFile(source, 'utf8');
  }
  const response = await fetch(source, { timeoutMs: 10_000, maxResponseBytes: MAX_BYTES, maxRedirects: 2 });
  if (response.status !== 200) {
    response.body.destroy();
    throw new Error(`the server returned status ${response.status}`);
  }
  return text(response.body);
};

/** The identity provider as its metadata describe it, read when it is first needed and again every day. */
export class SamlProvider {
  readonly #metadata: CachedValue<IdentityProvider>;

  constructor({ settings, fetch, clock, log }: SamlProviderDeps) {
    this.#metadata = new CachedValue({
      load: async () => parseMetadata(await readMetadata(settings.metadata, fetch), clock.now()),
      translate: (cause, attempt) => {
        log.warn({ err: cause, attempt }, 'SAML metadata loading failed (SAML2_IDP_METADATA_URL)');
        return providerAway();
      },
      freshMs: FRESH_MS,
      clock,
    });
  }

  /** Throws SERVICE_UNAVAILABLE while nothing is known. */
  get(): Promise<IdentityProvider> {
    return this.#metadata.get();
  }

  /** For an answer that `old` did not sign: the provider as it is now, where that is another one. */
  async changed(old: IdentityProvider): Promise<IdentityProvider | undefined> {
    const now = await this.#metadata.reload(LEAST_AGE_MS);
    return now !== undefined && now.certificates.join() !== old.certificates.join() ? now : undefined;
  }
}
