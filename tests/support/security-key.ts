import type { CDPSession, Page } from 'playwright-core';

/** A security key in the browser of one page, which presses its own button. */
export class SecurityKey {
  readonly #cdp: CDPSession;
  readonly #authenticatorId: string;

  private constructor(cdp: CDPSession, authenticatorId: string) {
    this.#cdp = cdp;
    this.#authenticatorId = authenticatorId;
  }

  static async plugIn(page: Page): Promise<SecurityKey> {
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'usb',
        hasResidentKey: false,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return new SecurityKey(cdp, authenticatorId);
  }

  /** Sets how often a key says that it was used, as a copy of it would that was made back then. */
  async setSignCount(signCount: number): Promise<void> {
    const authenticatorId = this.#authenticatorId;
    const { credentials } = await this.#cdp.send('WebAuthn.getCredentials', { authenticatorId });
    for (const credential of credentials) {
      await this.#cdp.send('WebAuthn.removeCredential', { authenticatorId, credentialId: credential.credentialId });
      await this.#cdp.send('WebAuthn.addCredential', { authenticatorId, credential: { ...credential, signCount } });
    }
  }

  /** Takes what it keeps out of it while `during` goes on, as if it were another key. */
  async without(during: () => Promise<void>): Promise<void> {
    const authenticatorId = this.#authenticatorId;
    const { credentials } = await this.#cdp.send('WebAuthn.getCredentials', { authenticatorId });
    await this.#cdp.send('WebAuthn.clearCredentials', { authenticatorId });
    await during();
    for (const credential of credentials) await this.#cdp.send('WebAuthn.addCredential', { authenticatorId, credential });
  }
}
