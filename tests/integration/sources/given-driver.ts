import { Secret } from '@sheaf/contract';
import { makeGuardedFetch } from '@sheaf/outbound';
import { makeDriver, type SourceDriver } from '@sheaf/sources';

type DriverSettings = Parameters<typeof makeDriver>[0];
type DriverDeps = Parameters<typeof makeDriver>[1];

/** A guarded client that reaches loopback and nothing else: every name leads to a port of this machine. */
export const loopbackFetch = (times: { readonly headersTimeoutMs?: number; readonly idleTimeoutMs?: number } = {}) =>
  makeGuardedFetch(
    { allowedNetworks: ['127.0.0.0/8'], denyPrivate: true },
    { userAgent: 'Sheaf', resolve: async () => [{ address: '127.0.0.1', family: 4 }], ...times },
  );

export const givenWebdav = (
  settings: Partial<Extract<DriverSettings, { type: 'webdav' }>> & { readonly url: string },
  deps: Partial<DriverDeps> = {},
): SourceDriver => makeDriver({ type: 'webdav', recursive: true, ...settings }, { fetch: loopbackFetch(), ...deps });

export const givenS3 = (
  settings: Partial<Extract<DriverSettings, { type: 's3' }>> & { readonly endpointUrl: string },
  deps: Partial<DriverDeps> = {},
): SourceDriver =>
  makeDriver(
    {
      type: 's3',
      bucket: 'documents',
      region: 'us-east-1',
      forcePathStyle: true,
      accessKeyId: 'S3RVER',
      secretAccessKey: new Secret('S3RVER'),
      recursive: true,
      ...settings,
    },
    { fetch: loopbackFetch(), ...deps },
  );
