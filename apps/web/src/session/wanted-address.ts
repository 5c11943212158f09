const KEY = 'sheaf.wanted-address';

/**
 * Where one wanted to go when one left this window for an identity provider. A refusal leads back to the front door: by then the service may not know
 * any more which sign-in it was of.
 */
export const wantedAddress = {
  keep: (address: string): void => sessionStorage.setItem(KEY, address),
  /** Told once. */
  take: (): string => {
    const address = sessionStorage.getItem(KEY) ?? '/';
    sessionStorage.removeItem(KEY);
    return address;
  },
};
