import { S3Client } from '@aws-sdk/client-s3';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { S3StorageSettings } from '../storage-settings.ts';

/** Each reader of an object holds one for as long as it reads. */
const MAX_SOCKETS = 256;

/** The SDK for one bucket. It tries once and knows no time limit: `withRetries` has both. */
export const makeS3Client = (settings: S3StorageSettings): S3Client =>
  new S3Client({
    region: settings.region,
    ...(settings.endpointUrl === undefined ? {} : { endpoint: settings.endpointUrl }),
    forcePathStyle: settings.forcePathStyle,
    credentials: { accessKeyId: settings.accessKeyId, secretAccessKey: settings.secretAccessKey.reveal() },
    ...SETTLED,
    requestHandler: new NodeHttpHandler({
      httpAgent: { keepAlive: true, maxSockets: MAX_SOCKETS },
      httpsAgent: { keepAlive: true, maxSockets: MAX_SOCKETS, rejectUnauthorized: settings.verifyCertificate },
      requestTimeout: 0,
      socketTimeout: 0,
    }),
  });

/** Everything that the SDK would look up in the environment or in a file of the machine where it is not given. */
const SETTLED = {
  ignoreConfiguredEndpointUrls: true,
  useFipsEndpoint: false,
  useDualstackEndpoint: false,
  useArnRegion: false,
  disableS3ExpressSessionAuth: true,
  followRegionRedirects: false,
  authSchemePreference: [] as string[],
  sigv4aSigningRegionSet: [] as string[],
  userAgentAppId: '',
  defaultsMode: 'standard',
  retryMode: 'standard',
  maxAttempts: 1,
  // Its own checksums come as trailers, which other services than Amazon's refuse, or store with the bytes.
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
  // With it each larger request gets a connection of its own.
  expectContinueHeader: false,
} as const;
